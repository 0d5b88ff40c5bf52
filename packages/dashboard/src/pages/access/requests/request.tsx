/** One request: its redacted request and response bodies, and the events it created. */
import type { LoggedRequest, Switchyard } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { useWorkspace } from '../../../api/workspace.tsx'
import { durationText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { ExternalLink, PageLink } from '../../../ui/link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { contentOf, objectIdOf } from '../../webhooks/events/content.ts'
import { HttpStatus, sourceText } from './list.tsx'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const request = useObject(['request', id], (api, signal) => api.requests.get(id, { signal }))
  return (
    <PageLoaded query={request} title="Request" crumbs={[{ text: 'API log', to: '/requests' }]}>
      {(data) => <Request request={data} />}
    </PageLoaded>
  )
}

function Request({ request }: { request: LoggedRequest }) {
  const { workspace } = useWorkspace()
  return (
    <>
      <PageHead
        crumbs={[{ text: 'API log', to: '/requests' }, { text: request.id }]}
        title={
          <span className="font-mono">
            {request.method} {request.path}
          </span>
        }
        titleExtra={<HttpStatus status={request.status} />}
        actions={<CopyButton text={request.id} label="Copy request ID" />}
      >
        <div className="mt-2">
          <Sentence>{requestSentence(request)}</Sentence>
          {request.error_code !== null && (
            <ExternalLink href={`${workspace.address}/docs/errors/${request.error_code}`}>
              What {request.error_code} means
            </ExternalLink>
          )}
        </div>
      </PageHead>
      <Columns
        main={
          <>
            <Body title="Request" text={request.request_body} />
            <Body title="Response" text={request.response_body} />
            <ResultingEvents request={request} />
          </>
        }
        side={<Side request={request} />}
      />
    </>
  )
}

function requestSentence({ status, error_code, duration_ms, replayed }: LoggedRequest): string {
  const code = error_code === null ? '' : ` with \`${error_code}\``
  const returnedText = `The server returned ${status}${code} in ${durationText(duration_ms)}.`
  return replayed
    ? `${returnedText} This is a replay: the response of the first request with the same idempotency key was returned again.`
    : returnedText
}

function Body({ title, text }: { title: string; text: string | null }) {
  return (
    <Panel title={title}>
      {text === null ? (
        <p className="text-ink2">
          {title === 'Request' ? 'The request had no body.' : 'Responses to read requests are not stored.'}
        </p>
      ) : (
        <CodeBlock text={pretty(text)} label={`${title.toLowerCase()} body`} />
      )}
    </Panel>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Side({ request }: { request: LoggedRequest }) {
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ['Time', <Time key="time" at={request.created_at} exact />],
          ['Operation', request.operation],
          ['Source', sourceText(request.source)],
          [
            'Token',
            request.api_token_id === null ? null : <ObjectLink key="token" id={request.api_token_id} />,
          ],
          ['Person', request.person_id === null ? null : <ObjectLink key="person" id={request.person_id} />],
          ['Idempotency key', request.idempotency_key],
          ['Version', request.api_version],
        ]}
      />
    </Panel>
  )
}

/** The events that this request caused. They are created while it runs, so only that time range is searched. */
function ResultingEvents({ request }: { request: LoggedRequest }) {
  const events = useObject(['event', request.id, 'caused'], (api) => eventsOf(api, request))
  return (
    <Panel title="Resulting events" flush>
      <Loaded query={events}>
        {(data) => (
          <PlainTable
            label="Resulting events"
            rows={data}
            keyOf={({ id }) => id}
            empty="This request created no events."
            columns={[
              {
                title: 'Type',
                phone: true,
                cell: ({ id, type }) => (
                  <PageLink to={`/events/${id}`}>
                    <span className="font-mono text-compact">{type}</span>
                  </PageLink>
                ),
              },
              { title: 'Object', cell: (event) => <ObjectLink id={objectIdOf(event)} /> },
              { title: 'Time', align: 'right', cell: ({ created_at }) => <Time at={created_at} exact /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const marginMs = 5_000

async function eventsOf(api: Switchyard, { id, created_at, duration_ms }: LoggedRequest) {
  const atMs = Date.parse(created_at)
  const timeRange = {
    gte: new Date(atMs - duration_ms - marginMs).toISOString(),
    lte: new Date(atMs + duration_ms + marginMs).toISOString(),
  }
  const candidates = await api.events.list({ created_at: timeRange, limit: 100 }).all({ max: 500 })
  return candidates.filter((event) => contentOf(event).request?.id === id)
}
