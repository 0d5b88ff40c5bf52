/** One webhook endpoint: its health, failure reasons, the last 24 hours, and its deliveries. */
import type { WebhookEndpoint } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useLatest } from '../../../api/latest.ts'
import { useObject } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
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
import { FailureReasons } from './failure-reasons.tsx'
import { notDelivered, Recover } from './recover.tsx'
import { RunningRecovery } from './running-recovery.tsx'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const endpoint = useObject(['webhook_endpoint', id], (api, signal) =>
    api.webhookEndpoints.get(id, { signal }),
  )
  return (
    <PageLoaded
      query={endpoint}
      title="Webhook endpoint"
      crumbs={[{ text: 'Webhooks', to: '/webhook-endpoints' }]}
    >
      {(data) => <Endpoint key={data.id} endpoint={data} />}
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
          <Loaded query={day}>{(data) => <FailureReasons endpoint={endpoint} day={data} />}</Loaded>
          <Loaded query={day}>{(data) => <DayChart day={data} />}</Loaded>
        </div>
        <Tabs
          label="Endpoint details"
          tabs={[
            { id: 'deliveries', text: 'Deliveries', content: () => <Deliveries endpoint={endpoint} /> },
            { id: 'settings', text: 'Settings', content: () => <EndpointSettings endpoint={endpoint} /> },
            {
              id: 'json',
              text: 'JSON',
              content: () => (
                <div className="p-4">
                  <Json value={endpoint} />
                </div>
              ),
            },
          ]}
        />
      </div>
    </>
  )
}

/** Deliveries are retried for five days, so this includes every pending delivery. */
const resendDays = 7

function Head({ endpoint }: { endpoint: WebhookEndpoint }) {
  const disabledReasonFor = useDisabledReason()
  const [isResending, setResending] = useState(false)
  return (
    <PageHead
      crumbs={[
        { text: 'Webhooks', to: '/webhook-endpoints' },
        { text: endpoint.name ?? hostOf(endpoint.url) },
      ]}
      title={endpoint.url}
      titleExtra={<EndpointStatus endpoint={endpoint} />}
      actions={
        <>
          <Button
            disabledReason={disabledReasonFor('webhook_recoveries.create')}
            onClick={() => setResending(true)}
          >
            Resend…
          </Button>
          <EndpointMenu endpoint={endpoint} />
        </>
      }
    >
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <span className="font-mono text-compact break-all text-ink2">{endpoint.id}</span>
        <CopyButton text={endpoint.id} label="Copy ID" />
        <PageLink to="/webhook-endpoints/lab">Check a signature</PageLink>
      </p>
      {isResending && (
        <Recover
          endpoint={endpoint}
          match={{ states: notDelivered, sinceMs: Date.now() - resendDays * dayMs }}
          onClose={() => setResending(false)}
        />
      )}
    </PageHead>
  )
}

/** While an endpoint is failing, its health is shown instead of `enabled`. */
export function EndpointStatus({ endpoint: { status, health } }: { endpoint: WebhookEndpoint }) {
  if (status === 'disabled' || health.state === 'healthy') return <Status status={status} />
  return <Status status="failed">Failing</Status>
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
      {secrets.length} secrets sign each request until {dateTimeText(until)}. Update your receiver to the
      newest secret before then.
    </Banner>
  )
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url
}
