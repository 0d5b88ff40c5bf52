/** One event: its object, what changed, its deliveries, and the exact string that was signed. */
import type { Event, EventData } from '@switchyard/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { useDisabledReason } from '../../../api/workspace.tsx'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock, CodeCall, Json } from '../../../ui/code.tsx'
import { PageLoaded } from '../../../ui/page-loaded.tsx'
import { Columns, Facts, PageHead, Panel } from '../../../ui/panel.tsx'
import { PlainTable } from '../../../ui/table.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { CopyButton, Time } from '../../../ui/values.tsx'
import { AdjacentEvents } from './adjacent-events.tsx'
import { changesOf, contentOf, valueText } from './content.ts'
import { EventDeliveries } from './event-deliveries.tsx'
import { ResendEvent } from './resend-event.tsx'

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  const event = useObject(['event', id], (api, signal) => api.events.get(id, { signal }))
  return (
    <PageLoaded query={event} title="Event" crumbs={[{ text: 'Events', to: '/events' }]}>
      {(data) => <EventView key={data.id} event={data} />}
    </PageLoaded>
  )
}

function EventView({ event }: { event: Event }) {
  const disabledReasonFor = useDisabledReason()
  const [isResending, setResending] = useState(false)
  const content = contentOf(event)
  return (
    <>
      <PageHead
        crumbs={[{ text: 'Events', to: '/events' }, { text: event.id }]}
        title={event.type}
        actions={
          <>
            <CopyButton text={event.id} label="Copy ID" />
            <Button
              variant="primary"
              disabledReason={disabledReasonFor('events.resend')}
              onClick={() => setResending(true)}
            >
              Resend event…
            </Button>
          </>
        }
      />
      <Columns
        main={<Main event={event} content={content} />}
        side={<Side event={event} content={content} />}
      />
      {isResending && <ResendEvent event={event} onClose={() => setResending(false)} />}
    </>
  )
}

type Props = { event: Event; content: EventData }

function Main({ event, content }: Props) {
  return (
    <>
      <Tabs
        label="Event content"
        tabs={[
          { id: 'changes', text: 'Changes', content: () => <Changes content={content} /> },
          {
            id: 'data',
            text: 'Data',
            content: () => (
              <div className="p-4">
                <Json value={content} label="data" />
              </div>
            ),
          },
          {
            id: 'exact',
            text: 'Exact string',
            content: () => (
              <div className="grid gap-3 p-4">
                <p className="text-ink2">
                  The signature covers exactly these characters. Verify the string without changing it.
                </p>
                <CodeBlock text={event.data} label="exact string" />
              </div>
            ),
          },
          {
            id: 'json',
            text: 'JSON',
            content: () => (
              <div className="p-4">
                <Json value={event} />
              </div>
            ),
          },
        ]}
      />
      <EventDeliveries event={event} />
      <CodeCall
        call={{ method: 'GET', path: `/events/${event.id}`, sdk: { method: 'events.get', args: [event.id] } }}
      />
    </>
  )
}

function Changes({ content }: { content: EventData }) {
  return (
    <PlainTable
      label="Changes"
      rows={changesOf(content)}
      keyOf={({ member }) => member}
      empty="This event reports a new object, so there are no previous values. See Data."
      columns={[
        {
          title: 'Field',
          phone: true,
          cell: ({ member }) => <code className="font-mono text-compact">{member}</code>,
        },
        { title: 'Before', cell: ({ before }) => <Value value={before} /> },
        {
          title: 'After',
          phone: true,
          cell: ({ before, after }) => (
            <>
              <span className="text-ink2 md:hidden">
                <Value value={before} /> →{' '}
              </span>
              <Value value={after} />
            </>
          ),
        },
      ]}
    />
  )
}

function Value({ value }: { value: unknown }) {
  return <span className="font-mono text-compact [overflow-wrap:anywhere]">{valueText(value)}</span>
}

function Side({ event, content }: Props) {
  const objectId = typeof content.object.id === 'string' ? content.object.id : null
  return (
    <>
      <Panel title="Cause">
        <Facts
          facts={[
            ['Object', <ObjectLink key="object" id={objectId} />],
            ['Created', <Time key="at" at={event.created_at} exact />],
            [
              'API request',
              content.request === null ? (
                'None (automatic)'
              ) : (
                <ObjectLink key="call" id={content.request.id} />
              ),
            ],
            ['Idempotency key', content.request?.idempotency_key ?? null],
            [
              'Test clock',
              content.test_clock === undefined ? null : <ObjectLink key="clock" id={content.test_clock.id} />,
            ],
            [
              'Test clock time',
              content.test_clock === undefined ? null : (
                <Time key="there" at={content.test_clock.now_at} exact />
              ),
            ],
            ['Version', event.api_version],
          ]}
        />
      </Panel>
      {objectId !== null && <AdjacentEvents event={event} objectId={objectId} sequence={content.sequence} />}
    </>
  )
}
