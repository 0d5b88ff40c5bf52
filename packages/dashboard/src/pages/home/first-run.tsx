/** The first steps of a workspace. They are marked as done automatically. */
import type { Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useInvalidate, useObject } from '../../api/queries.ts'
import { useApi, useDisabledReason, useIsAllowed, useWorkspace } from '../../api/workspace.tsx'
import type { Mode } from '../../session/session-api.ts'
import { ActionForm } from '../../ui/action.tsx'
import { PageLink, useOpenPage } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Status } from '../../ui/status.tsx'

type Step = { readonly id: string; readonly text: string; readonly to: string; readonly isDone: boolean }

export function FirstRun() {
  const { workspace } = useWorkspace()
  const canListTokens = useIsAllowed()('api_tokens.list')
  // Stop polling once all steps are done.
  const [isComplete, setComplete] = useState(false)
  const steps = useObject(
    ['workspace', 'first steps', canListTokens],
    (api) => stepsOf(api, canListTokens, workspace.mode),
    { refetchInterval: isComplete ? false : 5_000 },
  )
  const remaining = steps.data?.filter(({ isDone }) => !isDone)
  if (remaining?.length === 0 && !isComplete) setComplete(true)
  if (remaining === undefined || remaining.length === 0) return null
  const hasPayment = steps.data?.some(({ id, isDone }) => id === 'payment' && isDone)
  return (
    <Panel
      title="First steps"
      flush
      titleExtra={<span className="text-compact">{remaining.length} remaining</span>}
    >
      <ol aria-label="First steps">
        {steps.data?.map(({ id, text, to, isDone }) => (
          <li key={id} className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0">
            <Status status={isDone ? 'completed' : 'open'}>{isDone ? 'Done' : 'To do'}</Status>
            {isDone ? <span className="text-ink2">{text}</span> : <PageLink to={to}>{text}</PageLink>}
          </li>
        ))}
      </ol>
      {workspace.mode === 'test' && !hasPayment && (
        <div className="border-t border-line p-4">
          <FirstPayment />
        </div>
      )}
    </Panel>
  )
}

const year = new Date().getFullYear() + 4
const card = {
  type: 'card' as const,
  card: { number: '4242424242424242', exp_month: 12, exp_year: year, cvc: '123' },
}
const body = { amount: 1299, currency: 'eur' as const }

/** Creates a test payment with one click: a token, then a payment. */
function FirstPayment() {
  const api = useApi()
  const disabledReasonFor = useDisabledReason()
  const openPage = useOpenPage()
  const invalidate = useInvalidate()
  const exampleBody = { ...body, token: 'token_test_…' }
  return (
    <ActionForm
      submit="Create test payment"
      disabledReason={disabledReasonFor('payments.create')}
      call={{
        method: 'POST',
        path: '/payments',
        body: exampleBody,
        sdk: { method: 'payments.create', args: [exampleBody] },
      }}
      run={async ({ idempotencyKey }) => {
        const token = await api.tokens.create(card, { idempotencyKey: `${idempotencyKey}-token` })
        const { id } = await api.payments.create({ ...body, token: token.id }, { idempotencyKey })
        await invalidate('payment', 'workspace')
        openPage(`/payments/${id}`)
      }}
      onDone={() => undefined}
    >
      <p>Pays €12.99 with a test card at the simulated provider. No money moves.</p>
    </ActionForm>
  )
}

async function stepsOf(api: Switchyard, canListTokens: boolean, mode: Mode): Promise<readonly Step[]> {
  const [accounts, payments, endpoints, tokens] = await Promise.all([
    api.providerAccounts.list({ limit: 1 }).page(),
    api.payments.list({ limit: 1 }).page(),
    api.webhookEndpoints.list({ limit: 1 }).page(),
    canListTokens ? api.apiTokens.list({ limit: 100 }).page() : null,
  ])
  const isTokenUsed = tokens?.data.some(({ last_used_at }) => last_used_at !== null)
  return [
    {
      id: 'provider',
      text: 'Connect a provider',
      to: '/provider-accounts',
      isDone: accounts.data.length > 0,
    },
    {
      id: 'payment',
      text:
        mode === 'test'
          ? 'Create a test payment'
          : 'Accept the first payment, with a payment link or the API',
      to: mode === 'test' ? '/payments' : '/payment-links',
      isDone: payments.data.length > 0,
    },
    // A role that cannot list tokens cannot complete this step.
    ...(isTokenUsed === undefined
      ? []
      : [{ id: 'call', text: 'Call the API with a token', to: '/api-tokens', isDone: isTokenUsed }]),
    {
      id: 'webhook',
      text: 'Add a webhook endpoint',
      to: '/webhook-endpoints',
      isDone: endpoints.data.length > 0,
    },
  ]
}
