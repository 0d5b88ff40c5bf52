/** The first steps of a workspace. They tick themselves off, whoever does them and by whatever means. */
import type { Switchyard } from '@switchyard/sdk'
import { useState } from 'react'
import { useObject, useReread } from '../../api/queries.ts'
import { useApi, useHere, useIsAllowed, useMay } from '../../api/workspace.tsx'
import type { Mode } from '../../session/doors.ts'
import { ActionForm } from '../../ui/action.tsx'
import { PageLink, useGo } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Status } from '../../ui/status.tsx'

type Step = { readonly id: string; readonly text: string; readonly to: string; readonly isDone: boolean }

export function FirstRun() {
  const { workspace } = useHere()
  const seesTokens = useIsAllowed()('api_tokens.list')
  // Once all are done nothing is asked any more, as long as the page is open.
  const [isOver, setOver] = useState(false)
  const steps = useObject(
    ['workspace', 'first steps', seesTokens],
    (api) => stepsOf(api, seesTokens, workspace.mode),
    { refetchInterval: isOver ? false : 5_000 },
  )
  const open = steps.data?.filter(({ isDone }) => !isDone)
  if (open?.length === 0 && !isOver) setOver(true)
  if (open === undefined || open.length === 0) return null
  const isPaid = steps.data?.some(({ id, isDone }) => id === 'payment' && isDone)
  return (
    <Panel title="First steps" flush beside={<span className="text-compact">{open.length} to go</span>}>
      <ol aria-label="First steps">
        {steps.data?.map(({ id, text, to, isDone }) => (
          <li key={id} className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0">
            <Status of={isDone ? 'completed' : 'open'}>{isDone ? 'Done' : 'Open'}</Status>
            {isDone ? <span className="text-ink2">{text}</span> : <PageLink to={to}>{text}</PageLink>}
          </li>
        ))}
      </ol>
      {workspace.mode === 'test' && !isPaid && (
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

/** One click: by the two calls that a page and a server make. */
function FirstPayment() {
  const api = useApi()
  const may = useMay()
  const go = useGo()
  const reread = useReread()
  const shown = { ...body, token: 'token_test_…' }
  return (
    <ActionForm
      submit="Make a test payment"
      refused={may('payments.create')}
      call={{
        method: 'POST',
        path: '/payments',
        body: shown,
        sdk: { method: 'payments.create', args: [shown] },
      }}
      run={async ({ idempotencyKey }) => {
        const token = await api.tokens.create(card, { idempotencyKey: `${idempotencyKey}-token` })
        const { id } = await api.payments.create({ ...body, token: token.id }, { idempotencyKey })
        await reread('payment', 'workspace')
        go(`/payments/${id}`)
      }}
      onDone={() => undefined}
    >
      <p>Pay €12.99 with a test card at the simulated provider. No money moves; everything else is real.</p>
    </ActionForm>
  )
}

async function stepsOf(api: Switchyard, seesTokens: boolean, mode: Mode): Promise<readonly Step[]> {
  const [accounts, payments, endpoints, tokens] = await Promise.all([
    api.providerAccounts.list({ limit: 1 }).page(),
    api.payments.list({ limit: 1 }).page(),
    api.webhookEndpoints.list({ limit: 1 }).page(),
    seesTokens ? api.apiTokens.list({ limit: 100 }).page() : null,
  ])
  const isUsed = tokens?.data.some(({ last_used_at }) => last_used_at !== null)
  return [
    {
      id: 'provider',
      text: 'Connect a provider',
      to: '/provider-accounts',
      isDone: accounts.data.length > 0,
    },
    {
      id: 'payment',
      text: mode === 'test' ? 'Make a test payment' : 'Take the first payment, by a link or by your server',
      to: mode === 'test' ? '/payments' : '/payment-links',
      isDone: payments.data.length > 0,
    },
    // Who may not look at tokens could not do it either.
    ...(isUsed === undefined
      ? []
      : [{ id: 'call', text: 'Call the API with a token', to: '/api-tokens', isDone: isUsed }]),
    {
      id: 'webhook',
      text: 'Add a webhook endpoint',
      to: '/webhook-endpoints',
      isDone: endpoints.data.length > 0,
    },
  ]
}
