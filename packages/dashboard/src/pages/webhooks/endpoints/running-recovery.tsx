/** The running recovery of the endpoint, regardless of who started it. */
import { useObject } from '../../../api/queries.ts'
import { Panel } from '../../../ui/panel.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { CancelRecovery } from './recovery-progress.tsx'

export function RunningRecovery({ endpointId }: { endpointId: string }) {
  const latest = useObject(
    ['webhook_recovery', endpointId, 'latest'],
    (api) => api.webhookEndpoints.listRecoveries(endpointId, { limit: 1 }).page(),
    { refetchInterval: 5_000 },
  )
  const running = latest.data?.data.find(({ status, dry_run }) => status === 'running' && !dry_run)
  if (running === undefined) return null
  return (
    <Panel title="Resending">
      <div className="grid gap-3">
        <Progress label="Queued for sending" done={running.released} total={null} />
        <CancelRecovery recovery={running} />
      </div>
    </Panel>
  )
}
