/** All webhook endpoints with their health. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useNewObjects } from '../../../api/live.ts'
import { useObject, useRows } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { dueText } from '../../../format/time.ts'
import { rateText } from '../../../metrics/rates.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { EndpointStatus } from './endpoint.tsx'
import { CreateEndpoint } from './endpoint-form.tsx'
import { responseText } from './responses.ts'

export function Page() {
  const disabledReasonFor = useDisabledReason()
  const [isAdding, setAdding] = useState(false)
  const rows = useRows(['webhook_endpoint'], (api, page) => api.webhookEndpoints.list(page))
  const add = (
    <Button
      variant="primary"
      disabledReason={disabledReasonFor('webhook_endpoints.create')}
      onClick={() => setAdding(true)}
    >
      Add endpoint
    </Button>
  )
  return (
    <>
      <PageHead
        title="Webhooks"
        actions={
          <>
            <PageLink to="/webhook-endpoints/lab">Signature lab</PageLink>
            {add}
          </>
        }
      />
      <Panel flush>
        <DataTable
          label="Webhook endpoints"
          rows={rows}
          newObjects={useNewObjects('webhook_endpoint')}
          to={({ id }) => `/webhook-endpoints/${id}`}
          columns={columns}
          empty={<NoEndpoints add={add} />}
        />
      </Panel>
      {isAdding && <CreateEndpoint onClose={() => setAdding(false)} />}
    </>
  )
}

const columns: readonly Column<WebhookEndpoint>[] = [
  {
    title: 'URL',
    phone: true,
    cell: ({ id, url, name }) => (
      <PageLink to={`/webhook-endpoints/${id}`} title={name === null ? url : `${name}: ${url}`}>
        {url}
      </PageLink>
    ),
  },
  { title: 'Status', width: '150px', phone: true, cell: (row) => <EndpointStatus endpoint={row} /> },
  {
    title: 'Events',
    width: '190px',
    cell: ({ event_types }) => (event_types.includes('*') ? 'All' : event_types.join(', ')),
  },
  {
    title: 'Success rate, latest 1,000',
    width: '180px',
    align: 'right',
    cell: (row) => <SuccessRate endpoint={row} />,
  },
  { title: 'Waiting', width: '110px', align: 'right', cell: (row) => <WaitingCount endpoint={row} /> },
  { title: 'Last response', width: '180px', cell: (row) => <LastResponse endpoint={row} /> },
]

function useFigures({ id }: WebhookEndpoint) {
  return useObject(['webhook_endpoint', id, 'figures'], (api, signal) =>
    api.webhookEndpoints.figures(id, { signal }),
  ).data
}

function SuccessRate({ endpoint }: { endpoint: WebhookEndpoint }) {
  const figures = useFigures(endpoint)
  if (figures === undefined) return null
  if (figures.success_rate === null) return <span className="text-ink3">–</span>
  return (
    <span title={`${figures.attempts.toLocaleString('en')} attempts`}>{rateText(figures.success_rate)}</span>
  )
}

function WaitingCount({ endpoint }: { endpoint: WebhookEndpoint }) {
  const figures = useFigures(endpoint)
  if (figures === undefined || figures.waiting === 0) return <span className="text-ink3">–</span>
  const { waiting, next_attempt_at } = figures
  const next = next_attempt_at === null ? undefined : `Next attempt: ${dueText(next_attempt_at)}`
  return <span title={next}>{waiting.toLocaleString('en')}</span>
}

function LastResponse({ endpoint: { id } }: { endpoint: WebhookEndpoint }) {
  const latest = useObject(['delivery', id, 'last'], (api) => api.deliveries.list(id, { limit: 100 }).page())
  const last = latest.data?.data.find(({ last_outcome }) => last_outcome !== null)
  if (last === undefined) return <span className="text-ink3">–</span>
  return <span>{responseText(last.last_outcome, last.last_status)}</span>
}

const snippet = `const event = await verifyWebhook({
  body: await request.text(),
  headers: request.headers,
  secret: process.env.WEBHOOK_SECRET,
})`

function NoEndpoints({ add }: { add: React.ReactNode }) {
  return (
    <Empty title="No webhook endpoints yet." action={add}>
      <p className="mb-3">
        A webhook endpoint is a URL on your server that receives events such as payments, refunds and
        renewals. Verify each request like this:
      </p>
      <CodeBlock text={snippet} label="TypeScript" />
    </Empty>
  )
}
