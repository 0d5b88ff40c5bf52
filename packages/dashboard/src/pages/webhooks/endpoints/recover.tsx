/**
 * Resends all matching deliveries in the background: first a preview counts them, then the user chooses the rate, then
 * the recovery runs and can be stopped. The server keeps the order for each object.
 */
import type { CreateWebhookRecovery, WebhookEndpoint, WebhookRecovery } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../../api/queries.ts'
import { useApi, useDisabledReason } from '../../../api/workspace.tsx'
import { countText } from '../../../format/text.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { isoTimestamp, localDateTime } from './local-time.ts'
import { RecoveryProgress } from './recovery-progress.tsx'

type Props = { endpoint: WebhookEndpoint; match: RecoveryMatch; onClose: () => void }
/** The deliveries that are selected by default. */
export type RecoveryMatch = { readonly states: string; readonly sinceMs: number }

/** A running recovery, and the count of its preview. */
type Running = { readonly id: string; readonly expected: number }

type RecoveryPlan = { readonly since: string; readonly states: string; readonly rate: string }

const bodyOf = ({ since, states, rate }: RecoveryPlan, dryRun: boolean) =>
  ({
    since_at: isoTimestamp(since),
    states: states.split(','),
    ...(dryRun ? { dry_run: true } : {}),
    ...(dryRun || rate === '' ? {} : { rate: Number(rate) }),
  }) as CreateWebhookRecovery

export function Recover({ endpoint, match, onClose }: Props) {
  const [plan, setPlan] = useState<RecoveryPlan>({
    since: localDateTime(match.sinceMs),
    states: match.states,
    rate: '10',
  })
  const [previewId, setPreviewId] = useState<string | null>(null)
  const [running, setRunning] = useState<Running | null>(null)
  return (
    <Dialog
      title="Resend all matching deliveries"
      onClose={onClose}
      intro="Event IDs stay the same, so a receiver that has already processed an event can ignore it."
    >
      {running !== null && (
        <RecoveryProgress
          endpointId={endpoint.id}
          recoveryId={running.id}
          expected={running.expected}
          onClose={onClose}
        />
      )}
      {running === null && previewId === null && (
        <SelectForm
          endpoint={endpoint}
          plan={plan}
          setPlan={setPlan}
          onCounted={setPreviewId}
          onClose={onClose}
        />
      )}
      {running === null && previewId !== null && (
        <ConfirmForm
          endpoint={endpoint}
          plan={plan}
          setPlan={setPlan}
          previewId={previewId}
          onClose={onClose}
          onStarted={setRunning}
          onBack={() => setPreviewId(null)}
        />
      )}
    </Dialog>
  )
}

/** Everything not delivered, including deliveries that wait for their next attempt. */
export const notDelivered = 'pending,exhausted,held'

const states = [
  { value: notDelivered, text: 'Everything not delivered' },
  { value: 'pending', text: 'Waiting for the next attempt' },
  { value: 'exhausted,held', text: 'Failed or held' },
  { value: 'exhausted', text: 'Failed' },
  { value: 'held', text: 'Held' },
  { value: `${notDelivered},delivered`, text: 'Everything, including delivered' },
  { value: 'missing', text: 'Events never sent to this endpoint' },
]

function SelectForm(props: {
  endpoint: WebhookEndpoint
  plan: RecoveryPlan
  setPlan: (plan: RecoveryPlan) => void
  onCounted: (id: string) => void
  onClose: () => void
}) {
  const { endpoint, plan, setPlan } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const body = bodyOf(plan, true)
  return (
    <ActionForm
      submit="Preview deliveries"
      disabledReason={disabledReasonFor('webhook_recoveries.create')}
      call={callOf(endpoint, body)}
      run={async (key) => props.onCounted((await api.webhookEndpoints.recover(endpoint.id, body, key)).id)}
      onDone={() => undefined}
      onCancel={props.onClose}
    >
      <TextField
        label="Since"
        type="datetime-local"
        pointer="/since_at"
        hint="Up to 30 days ago."
        value={plan.since}
        onChange={(since) => setPlan({ ...plan, since })}
      />
      <SelectField
        label="Deliveries"
        pointer="/states"
        value={plan.states}
        onChange={(value) => setPlan({ ...plan, states: value })}
        options={states}
      />
    </ActionForm>
  )
}

function ConfirmForm(
  props: Omit<Props, 'match'> & {
    plan: RecoveryPlan
    setPlan: (plan: RecoveryPlan) => void
    previewId: string
    onStarted: (running: Running) => void
    onBack: () => void
  },
) {
  const { endpoint, plan, setPlan } = props
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const invalidate = useInvalidate()
  const counting = useObject(
    ['webhook_recovery', props.previewId],
    (client) => client.webhookEndpoints.getRecovery(endpoint.id, props.previewId),
    { refetchInterval: 1_000 },
  )
  const body = bodyOf(plan, false)
  const matched = counting.data?.matched ?? 0
  return (
    <Loaded query={counting}>
      {(preview) => (
        <ActionForm
          submit={`Resend ${countText(matched, 'delivery', 'deliveries')}`}
          disabledReason={previewDisabledReason(preview) ?? disabledReasonFor('webhook_recoveries.create')}
          call={callOf(endpoint, body)}
          run={async (key) => {
            const { id } = await api.webhookEndpoints.recover(endpoint.id, body, key)
            props.onStarted({ id, expected: matched })
            await invalidate('delivery', 'webhook_endpoint', 'webhook_recovery')
          }}
          onDone={() => undefined}
          onCancel={props.onBack}
          cancelLabel="Back"
        >
          <p role="status" className="text-sentence">
            {preview.status === 'running' ? 'Counting… ' : ''}
            {countText(matched, 'delivery matches', 'deliveries match')}.
          </p>
          <TextField
            label="Max per second"
            type="number"
            pointer="/rate"
            hint={rateHint(endpoint)}
            value={plan.rate}
            onChange={(rate) => setPlan({ ...plan, rate })}
          />
        </ActionForm>
      )}
    </Loaded>
  )
}

function previewDisabledReason({ status, matched }: WebhookRecovery): string | null {
  if (status === 'running') return 'Still counting.'
  return matched === 0 ? 'No matching deliveries. Go back and change the selection.' : null
}

function rateHint({ rate_limit }: WebhookEndpoint): string {
  return rate_limit === null
    ? 'Leave empty for no limit.'
    : `Limited by the endpoint's own maximum of ${rate_limit} per second.`
}

function callOf(endpoint: WebhookEndpoint, body: CreateWebhookRecovery) {
  return {
    method: 'POST',
    path: `/webhook-endpoints/${endpoint.id}/recover`,
    body,
    sdk: { method: 'webhookEndpoints.recover', args: [endpoint.id, body] },
  } as const
}
