// A page for each event type: when it is emitted, its content, and a sample that matches its schema.

import { eventTypes } from '../../packages/server/src/event-types.ts'
import { type EventDescription, exampleRecord } from '../../packages/server/src/platform/db/event-example.ts'
import { versions } from '../../packages/server/src/versions/registry.ts'
import { memberHead, memberRows } from './members.ts'
import type { Schema } from './sdk-schema.ts'

/** Path under docs/reference -> text. */
export function renderEventPages(): Map<string, string> {
  const pages = eventTypes.map((event) => [`events/${event.type}.md`, eventPage(event)] as const)
  return new Map([['events/README.md', index()], ...pages])
}

function index(): string {
  const rows = eventTypes.map(({ type, about }) => `| [\`${type}\`](${type}.md) | ${about} |`)
  return `# Events

An event is written in the same transaction as the change it records. \`GET /events/{event_id}\` returns an event, and \`GET /event-types\` returns this list. [Receive webhooks](../../guides/receive-webhooks.md) explains how to receive events.

An endpoint subscribes to event types by name, to all events of an object with \`<object>.*\`, or to all events with \`*\`.

| Type | Description |
|---|---|
${rows.join('\n')}
`
}

function eventPage(event: EventDescription): string {
  const { data } = exampleRecord(event, versions.current)
  return `# \`${event.type}\`

${event.about}

Example of \`data\`. It is sent as a JSON string without whitespace; [Events](../../guides/events.md#data-is-a-string) explains why.

\`\`\`json
${JSON.stringify(JSON.parse(data), null, 2)}
\`\`\`

## Fields of \`object\`

${memberHead}
${memberRows(event.schema as Schema).join('\n')}

[All event types](README.md)
`
}
