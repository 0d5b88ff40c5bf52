/** How far a recovery has come, here and on the page of its endpoint. */
import type { WebhookRecovery } from '@switchyard/sdk'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { counted } from '../../../format/words.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Loaded } from '../../../ui/states.tsx'

export function RecoveryProgress(props: {
  endpointId: string
  recoveryId: string
  /** How many the preview has counted: the recovery itself finds them as it goes. */
  expected: number
  onClose: () => void
}) {
  const { endpointId, recoveryId } = props
  const recovery = useObject(
    ['webhook_recovery', recoveryId],
    (api) => api.webhookEndpoints.getRecovery(endpointId, recoveryId),
    { refetchInterval: ({ status }) => status === 'running' && 1_000 },
  )
  return (
    <Loaded of={recovery}>
      {(found) => (
        <>
          <Progress
            label="Handed over to be sent"
            done={found.released}
            total={Math.max(props.expected, found.matched)}
          />
          {found.status === 'running' ? (
            <CancelRecovery recovery={found} />
          ) : (
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p role="status">{recoverySummary(found)}</p>
              <Button onClick={props.onClose}>Close</Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}

export function CancelRecovery({ recovery }: { recovery: WebhookRecovery }) {
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const { id, webhook_endpoint_id: endpointId } = recovery
  return (
    <ActionForm
      submit="Cancel the rest"
      danger
      refused={may('webhook_recoveries.cancel')}
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpointId}/recoveries/${id}/cancel`,
        sdk: { method: 'webhookEndpoints.cancelRecovery', args: [endpointId, id] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.cancelRecovery(endpointId, id, key)
        await reread('webhook_recovery', 'delivery')
      }}
      onDone={() => undefined}
    />
  )
}

export function recoverySummary({ status, matched, released }: WebhookRecovery): string {
  const sent = `${released.toLocaleString('en')} of ${counted(matched, 'delivery', 'deliveries')}`
  return status === 'cancelled' ? `Cancelled after ${sent}.` : `Completed: ${sent} handed over to be sent.`
}
