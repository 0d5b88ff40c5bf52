/**
 * Sends everything again that matches, in the background of the server: first it is only counted, then the pace is
 * chosen, then it runs and can be stopped. Order is kept for each object by the server.
 */
import type { CreateWebhookRecovery, WebhookEndpoint, WebhookRecovery } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useReread } from '../../../api/queries.ts'
import { useApi, useMay } from '../../../api/workspace.tsx'
import { counted } from '../../../format/words.ts'
import { ActionForm } from '../../../ui/action.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { isoOf, localOf } from './local-time.ts'
import { RecoveryProgress } from './recovery-progress.tsx'

type Props = { endpoint: WebhookEndpoint; match: RecoveryMatch; onClose: () => void }
/** What the list was filtered to. */
export type RecoveryMatch = { readonly states: string; readonly sinceMs: number }

/** A recovery that runs, and how many its preview had counted. */
type Running = { readonly id: string; readonly expected: number }

type Plan = { readonly since: string; readonly states: string; readonly rate: string }

const bodyOf = ({ since, states, rate }: Plan, dryRun: boolean) =>
  ({
    since_at: isoOf(since),
    states: states.split(','),
    ...(dryRun ? { dry_run: true } : {}),
    ...(dryRun || rate === '' ? {} : { rate: Number(rate) }),
  }) as CreateWebhookRecovery

export function Recover({ endpoint, match, onClose }: Props) {
  const [plan, setPlan] = useState<Plan>({ since: localOf(match.sinceMs), states: match.states, rate: '10' })
  const [preview, setPreview] = useState<string | null>(null)
  const [running, setRunning] = useState<Running | null>(null)
  return (
    <Dialog
      title="Resend all that match"
      onClose={onClose}
      intro="The event ids stay the same, so a receiver that knows them does nothing twice."
    >
      {running !== null && (
        <RecoveryProgress
          endpointId={endpoint.id}
          recoveryId={running.id}
          expected={running.expected}
          onClose={onClose}
        />
      )}
      {running === null && preview === null && (
        <Ask endpoint={endpoint} plan={plan} setPlan={setPlan} onCounted={setPreview} onClose={onClose} />
      )}
      {running === null && preview !== null && (
        <Confirm
          {...{ endpoint, plan, setPlan, preview, onClose }}
          onStarted={setRunning}
          onBack={() => setPreview(null)}
        />
      )}
    </Dialog>
  )
}

const states = [
  { value: 'exhausted,held', text: 'Those that were given up or held' },
  { value: 'exhausted', text: 'Those that were given up' },
  { value: 'held', text: 'Those that are held' },
  { value: 'exhausted,held,delivered', text: 'Delivered ones too' },
  { value: 'missing', text: 'Events that were never addressed to this endpoint' },
]

function Ask(props: {
  endpoint: WebhookEndpoint
  plan: Plan
  setPlan: (plan: Plan) => void
  onCounted: (id: string) => void
  onClose: () => void
}) {
  const { endpoint, plan, setPlan } = props
  const api = useApi()
  const may = useMay()
  const body = bodyOf(plan, true)
  return (
    <ActionForm
      submit="Preview"
      refused={may('webhook_recoveries.create')}
      call={callOf(endpoint, body)}
      run={async (key) => props.onCounted((await api.webhookEndpoints.recover(endpoint.id, body, key)).id)}
      onDone={() => undefined}
      onCancel={props.onClose}
    >
      <TextField
        label="Since"
        type="datetime-local"
        pointer="/since_at"
        hint="At most 30 days back."
        value={plan.since}
        onChange={(since) => setPlan({ ...plan, since })}
      />
      <SelectField
        label="What"
        pointer="/states"
        value={plan.states}
        onChange={(chosen) => setPlan({ ...plan, states: chosen })}
        options={states}
      />
    </ActionForm>
  )
}

function Confirm(
  props: Omit<Props, 'match'> & {
    plan: Plan
    setPlan: (plan: Plan) => void
    preview: string
    onStarted: (running: Running) => void
    onBack: () => void
  },
) {
  const { endpoint, plan, setPlan } = props
  const api = useApi()
  const may = useMay()
  const reread = useReread()
  const counting = useObject(
    ['webhook_recovery', props.preview],
    (client) => client.webhookEndpoints.getRecovery(endpoint.id, props.preview),
    { refetchInterval: 1_000 },
  )
  const body = bodyOf(plan, false)
  const matched = counting.data?.matched ?? 0
  return (
    <Loaded of={counting}>
      {(preview) => (
        <ActionForm
          submit={`Resend ${matched.toLocaleString('en')}`}
          refused={refusedWhile(preview) ?? may('webhook_recoveries.create')}
          call={callOf(endpoint, body)}
          run={async (key) => {
            const { id } = await api.webhookEndpoints.recover(endpoint.id, body, key)
            props.onStarted({ id, expected: matched })
            await reread('delivery', 'webhook_endpoint', 'webhook_recovery')
          }}
          onDone={() => undefined}
          onCancel={props.onBack}
        >
          <p role="status" className="text-sentence">
            {preview.status === 'running' ? 'Counting… ' : ''}
            {counted(matched, 'delivery matches', 'deliveries match')}.
          </p>
          <TextField
            label="Per second, at most"
            type="number"
            pointer="/rate"
            hint={paceHint(endpoint)}
            value={plan.rate}
            onChange={(rate) => setPlan({ ...plan, rate })}
          />
        </ActionForm>
      )}
    </Loaded>
  )
}

function refusedWhile({ status, matched }: WebhookRecovery): string | null {
  if (status === 'running') return 'It is still being counted.'
  return matched === 0 ? 'Nothing matches. Go back and widen it.' : null
}

function paceHint({ rate_limit }: WebhookEndpoint): string {
  return rate_limit === null
    ? 'Empty: as fast as the endpoint bears.'
    : `Never over the endpoint's own limit of ${rate_limit} a second.`
}

function callOf(endpoint: WebhookEndpoint, body: CreateWebhookRecovery) {
  return {
    method: 'POST',
    path: `/webhook-endpoints/${endpoint.id}/recover`,
    body,
    sdk: { method: 'webhookEndpoints.recover', args: [endpoint.id, body] },
  } as const
}
