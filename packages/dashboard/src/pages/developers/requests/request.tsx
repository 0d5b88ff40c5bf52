/** One call: what was asked and answered, with what a caller typed struck out, and the events it caused. */
import type { LoggedRequest, Switchyard } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useObject } from '../../../api/queries.ts'
import { useHere } from '../../../api/workspace.tsx'
import { durationText } from '../../../format/time.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { CodeBlock } from '../../../ui/code.tsx'
import { OutLink, PageLink } from '../../../ui/link.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel, Sentence } from '../../../ui/panel.tsx'
import { Loaded } from '../../../ui/states.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { contentOf, objectIdOf } from '../events/content.ts'
import { HttpStatus, sourceText } from './list.tsx'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const request = useObject(['request', id], (api, signal) => api.requests.get(id, { signal }))
  return (
    <PageLoaded of={request} title="Call" crumbs={[{ text: 'API log', to: '/requests' }]}>
      {(found) => <Request request={found} />}
    </PageLoaded>
  )
}

function Request({ request }: { request: LoggedRequest }) {
  const { workspace } = useHere()
  return (
    <>
      <PageHead
        crumbs={[{ text: 'API log', to: '/requests' }, { text: request.id }]}
        title={
          <span className="font-mono">
            {request.method} {request.path}
          </span>
        }
        beside={<HttpStatus status={request.status} />}
        actions={<CopyButton text={request.id} label="Copy request id" />}
      >
        <div className="mt-2">
          <Sentence>{sentence(request)}</Sentence>
          {request.error_code !== null && (
            <OutLink href={`${workspace.address}/docs/errors/${request.error_code}`}>
              What {request.error_code} means
            </OutLink>
          )}
        </div>
      </PageHead>
      <Columns
        main={
          <>
            <Body title="Request" text={request.request_body} />
            <Body title="Answer" text={request.response_body} />
            <Caused request={request} />
          </>
        }
        side={<Side request={request} />}
      />
    </>
  )
}

function sentence({ status, error_code, duration_ms, replayed }: LoggedRequest): string {
  const code = error_code === null ? '' : ` with \`${error_code}\``
  const said = `The server answered ${status}${code} in ${durationText(duration_ms)}.`
  return replayed
    ? `${said} It was a repeat: the answer is that of the first request with the same key.`
    : said
}

function Body({ title, text }: { title: string; text: string | null }) {
  return (
    <Panel title={title}>
      {text === null ? (
        <p className="text-ink2">
          {title === 'Request' ? 'It had no body.' : 'Answers of reads are not kept.'}
        </p>
      ) : (
        <CodeBlock text={pretty(text)} label={`body of the ${title.toLowerCase()}`} />
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
    <Panel title="Call">
      <Facts
        of={[
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

/** Events are made while the call runs, and name it: those around that moment are looked at. */
function Caused({ request }: { request: LoggedRequest }) {
  const events = useObject(['event', request.id, 'caused'], (api) => causedBy(api, request))
  return (
    <Panel title="Events caused" flush>
      <Loaded of={events}>
        {(found) => (
          <PlainTable
            label="Events caused"
            rows={found}
            keyOf={({ id }) => id}
            empty="It caused no event."
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

async function causedBy(api: Switchyard, { id, created_at, duration_ms }: LoggedRequest) {
  const atMs = Date.parse(created_at)
  const around = {
    gte: new Date(atMs - duration_ms - marginMs).toISOString(),
    lte: new Date(atMs + duration_ms + marginMs).toISOString(),
  }
  const near = await api.events.list({ created_at: around, limit: 100 }).all({ max: 500 })
  return near.filter((event) => contentOf(event).request?.id === id)
}
