/** The progress of a recovery, in the dialog and on the page of the endpoint. */
import type { WebhookRecovery } from '@switchyard/sdk'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Button } from '../../../ui/button.tsx'
import { Progress } from '../../../ui/progress.tsx'
import { Loaded } from '../../../ui/states.tsx'

export function RecoveryProgress(props: {
  endpointId: string
  recoveryId: string
  /** The count from the preview. The recovery's own count grows while it runs. */
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
    <Loaded query={recovery}>
      {(data) => (
        <>
          <Progress
            label="Queued for sending"
            done={data.released}
            total={Math.max(props.expected, data.matched)}
          />
          {data.status === 'running' ? (
            <CancelRecovery recovery={data} />
          ) : (
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p role="status">{recoverySummary(data)}</p>
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
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const { id, webhook_endpoint_id: endpointId } = recovery
  return (
    <ActionForm
      submit="Stop resending"
      danger
      disabledReason={disabledReasonFor('webhook_recoveries.cancel')}
      call={{
        method: 'POST',
        path: `/webhook-endpoints/${endpointId}/recoveries/${id}/cancel`,
        sdk: { method: 'webhookEndpoints.cancelRecovery', args: [endpointId, id] },
      }}
      run={async (key) => {
        await api.webhookEndpoints.cancelRecovery(endpointId, id, key)
        await invalidate('webhook_recovery', 'delivery')
      }}
      onDone={() => undefined}
    />
  )
}

export function recoverySummary({ status, matched, released }: WebhookRecovery): string {
  const sent = `${released.toLocaleString('en')} of ${countText(matched, 'delivery', 'deliveries')}`
  return status === 'cancelled' ? `Stopped after ${sent}.` : `Completed: ${sent} queued for sending.`
}
