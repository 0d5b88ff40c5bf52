/** One webhook endpoint: how it fares in a sentence, why deliveries failed, its day, and its deliveries. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useLatest } from '../../../api/latest.ts'
import { useObject } from '../../../api/queries.ts'
import { useMay } from '../../../api/workspace.tsx'
import { dateTimeText, dayMs } from '../../../format/time.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Json } from '../../../ui/code.tsx'
import { PageLink } from '../../../ui/link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { PageHead, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { Status } from '../../../ui/status.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton } from '../../../ui/values.tsx'
import { DayChart } from './day-chart.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointMenu } from './endpoint-menu.tsx'
import { endpointSentence } from './endpoint-sentence.ts'
import { EndpointSettings } from './endpoint-settings.tsx'
import { Recover } from './recover.tsx'
import { RunningRecovery } from './running-recovery.tsx'
import { WhyFailed } from './why-failed.tsx'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const endpoint = useObject(['webhook_endpoint', id], (api, signal) =>
    api.webhookEndpoints.get(id, { signal }),
  )
  return (
    <PageLoaded
      of={endpoint}
      title="Webhook endpoint"
      crumbs={[{ text: 'Webhooks', to: '/webhook-endpoints' }]}
    >
      {(found) => <Endpoint key={found.id} endpoint={found} />}
    </PageLoaded>
  )
}

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const day = useLatest(
    ['delivery', endpoint.id, 'day'],
    (api, page) =>
      api.deliveries.list(endpoint.id, {
        ...page,
        created_at: { gte: new Date(Date.now() - dayMs).toISOString() },
      }),
    { refetchInterval: 15_000 },
  )
  return (
    <>
      <Head endpoint={endpoint} />
      <div className="grid gap-4">
        {day.data !== undefined && <Sentence>{endpointSentence(endpoint, day.data)}</Sentence>}
        <TwoSecrets endpoint={endpoint} />
        <RunningRecovery endpointId={endpoint.id} />
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,350px)_minmax(0,1fr)]">
          <Loaded of={day}>{(found) => <WhyFailed endpoint={endpoint} day={found} />}</Loaded>
          <Loaded of={day}>{(found) => <DayChart day={found} />}</Loaded>
        </div>
        <Tabs
          label="More of the endpoint"
          tabs={[
            { id: 'deliveries', text: 'Deliveries', content: () => <Deliveries endpoint={endpoint} /> },
            { id: 'settings', text: 'Settings', content: () => <EndpointSettings endpoint={endpoint} /> },
            {
              id: 'json',
              text: 'JSON',
              content: () => (
                <div className="p-4">
                  <Json of={endpoint} />
                </div>
              ),
            },
          ]}
        />
      </div>
    </>
  )
}

function Head({ endpoint }: { endpoint: WebhookEndpoint }) {
  const may = useMay()
  const [isResending, setResending] = useState(false)
  return (
    <PageHead
      crumbs={[
        { text: 'Webhooks', to: '/webhook-endpoints' },
        { text: endpoint.name ?? hostOf(endpoint.url) },
      ]}
      title={endpoint.url}
      beside={<EndpointStatus endpoint={endpoint} />}
      actions={
        <>
          <Button refused={may('webhook_recoveries.create')} onClick={() => setResending(true)}>
            Resend…
          </Button>
          <EndpointMenu endpoint={endpoint} />
        </>
      }
    >
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <span className="font-mono text-compact break-all text-ink2">{endpoint.id}</span>
        <CopyButton text={endpoint.id} label="Copy" />
        <PageLink to="/webhook-endpoints/lab">Check a signature</PageLink>
      </p>
      {isResending && (
        <Recover
          endpoint={endpoint}
          match={{ states: 'exhausted,held', sinceMs: Date.now() - dayMs }}
          onClose={() => setResending(false)}
        />
      )}
    </PageHead>
  )
}

/** Health says more than `enabled` while something is wrong. */
export function EndpointStatus({ endpoint: { status, health } }: { endpoint: WebhookEndpoint }) {
  if (status === 'disabled' || health.state === 'healthy') return <Status of={status} />
  return <Status of="failed">Failing</Status>
}

function TwoSecrets({ endpoint: { secrets } }: { endpoint: WebhookEndpoint }) {
  const earlier = secrets.filter(({ expires_at }) => expires_at !== null)
  const until = earlier
    .map(({ expires_at }) => expires_at as string)
    .toSorted()
    .at(-1)
  if (until === undefined) return null
  return (
    <Banner>
      {secrets.length} secrets sign each request until {dateTimeText(until)}. Change your receiver to the
      newest one before then.
    </Banner>
  )
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
