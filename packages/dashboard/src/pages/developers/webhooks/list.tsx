/** All webhook endpoints, with how each fares at a glance. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useState } from 'react'
import { useFresh } from '../../../api/live.ts'
import { useObject, useRows } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { relativeText } from '../../../format/time.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageHead, Panel } from '../../../ui/panel.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { answerText } from './answers.ts'
import { EndpointStatus } from './endpoint.tsx'
import { CreateEndpoint } from './endpoint-form.tsx'

export function Page() {
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const rows = useRows(['webhook_endpoint'], (api, page) => api.webhookEndpoints.list(page))
  const add = (
    <Button look="primary" refused={may('webhook_endpoints.create')} onClick={() => setAdding(true)}>
      Add an endpoint
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
          fresh={useFresh('webhook_endpoint')}
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
    title: 'Success, latest 1,000',
    width: '180px',
    align: 'right',
    cell: (row) => <Success endpoint={row} />,
  },
  { title: 'Waiting', width: '110px', align: 'right', cell: (row) => <Waiting endpoint={row} /> },
  { title: 'Last answer', width: '180px', cell: (row) => <LastAnswer endpoint={row} /> },
]

function useFigures({ id }: WebhookEndpoint) {
  return useObject(['webhook_endpoint', id, 'figures'], (api, signal) =>
    api.webhookEndpoints.figures(id, { signal }),
  ).data
}

function Success({ endpoint }: { endpoint: WebhookEndpoint }) {
  const figures = useFigures(endpoint)
  if (figures === undefined) return null
  if (figures.success_rate === null) return <span className="text-ink3">–</span>
  const share = Math.floor(figures.success_rate * 1_000) / 10
  return <span title={`${figures.attempts.toLocaleString('en')} attempts`}>{share} %</span>
}

function Waiting({ endpoint }: { endpoint: WebhookEndpoint }) {
  const figures = useFigures(endpoint)
  if (figures === undefined || figures.waiting === 0) return <span className="text-ink3">–</span>
  const { waiting, next_attempt_at } = figures
  const next =
    next_attempt_at === null ? undefined : `The first in turn is due ${relativeText(next_attempt_at)}`
  return <span title={next}>{waiting.toLocaleString('en')}</span>
}

function LastAnswer({ endpoint: { id } }: { endpoint: WebhookEndpoint }) {
  const latest = useObject(['delivery', id, 'last'], (api) => api.deliveries.list(id, { limit: 100 }).page())
  const last = latest.data?.data.find(({ last_outcome }) => last_outcome !== null)
  if (last === undefined) return <span className="text-ink3">–</span>
  return <span>{answerText(last.last_outcome, last.last_status)}</span>
}

const snippet = `const event = await verifyWebhook({
  body: await request.text(),
  headers: request.headers,
  secret: process.env.WEBHOOK_SECRET,
})`

function NoEndpoints({ add }: { add: React.ReactNode }) {
  return (
    <Empty title="No endpoint yet." action={add}>
      <p className="mb-3">
        An endpoint is an address of yours that hears what happens: payments, refunds, renewals. It verifies
        what it gets like this.
      </p>
      <CodeBlock text={snippet} label="TypeScript" />
    </Empty>
  )
}
