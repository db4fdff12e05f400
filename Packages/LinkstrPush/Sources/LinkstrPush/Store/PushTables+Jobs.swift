internal import NostrCrypto
internal import SQLite

extension PushTables {
    private struct Candidate {
        var job: PushJob
        var notification: Int64
    }

    func claimJobs(upTo limit: Int, lease: PushLease, now: Int64) throws -> ClaimedJobs {
        let candidates = try connection.all(
            """
            SELECT job.id, device.id, device.version, device.token, device.environment, notification.collapse,
                notification.payload, notification.expires, job.failures, job.lease IS NOT NULL, notification.id
            FROM job JOIN device ON device.id = job.device JOIN notification ON notification.id = job.notification
            WHERE job.due <= ?1 ORDER BY job.due, job.id LIMIT ?2
            """,
            now,
            max(0, limit)
        ) { row in try candidate(row) }
        var claimed = ClaimedJobs(jobs: [], expired: 0)
        var ended: Set<Int64> = []
        for candidate in candidates {
            if candidate.job.expires <= now {
                try connection.execute("DELETE FROM job WHERE id = ?1", candidate.job.id)
                ended.insert(candidate.notification)
                claimed.expired += 1
            } else {
                // Leased until then; whoever finds it due afterwards may take it.
                try connection.execute(
                    "UPDATE job SET due = ?2, lease = ?3 WHERE id = ?1",
                    candidate.job.id,
                    lease.ends,
                    lease.owner.array
                )
                claimed.jobs.append(candidate.job)
            }
        }
        for notification in ended { try removeIfDone(notification) }
        return claimed
    }

    private func candidate(_ row: borrowing Row) throws -> Candidate {
        Candidate(
            job: PushJob(
                id: try row.integer(0),
                device: try row.integer(1),
                version: try row.integer(2),
                target: PushTarget(
                    token: try row.text(3),
                    environment: PushEnvironment(rawValue: try row.text(4)) ?? .production
                ),
                notification: PushNotification(collapseID: try row.text(5), payload: try row.bytes(6)),
                expires: try row.integer(7),
                failures: try row.get(8, as: Int.self),
                isReclaimed: try row.get(9, as: Bool.self)
            ),
            notification: try row.integer(10)
        )
    }

    func settle(_ settlements: [PushSettlement], lease: PushLease) throws {
        var ended: Set<Int64> = []
        for settlement in settlements {
            switch settlement {
            case .delivered(let job):
                // Whoever has it now need not send it again.
                let notification: Int64? = try connection.value(
                    "DELETE FROM job WHERE id = ?1 RETURNING notification",
                    job.id
                )
                if let notification { ended.insert(notification) }
            case .deviceGone(let job):
                let account: Int64? = try connection.value(
                    "SELECT account FROM device WHERE id = ?1 AND version = ?2",
                    job.device,
                    job.version
                )
                if let account {
                    try remove(device: job.device, of: account)
                } else {
                    try release(job, due: job.expires, failures: job.failures, lease)
                }
            case .retry(let job, let due):
                try release(job, due: due, failures: job.failures + 1, lease)
            case .release(let job):
                try release(job, due: 0, failures: job.failures, lease)
            }
        }
        for notification in ended { try removeIfDone(notification) }
    }

    /// Only by whom has it.
    private func release(_ job: PushJob, due: Int64, failures: Int, _ lease: PushLease) throws {
        try connection.execute(
            "UPDATE job SET due = ?3, failures = ?4, lease = NULL WHERE id = ?1 AND lease = ?2",
            job.id,
            lease.owner.array,
            due,
            failures
        )
    }
}
