// A page for each type of event: when it happens, what it carries, and a sample that fits its schema.

import { eventTypes } from '../../packages/server/src/event-types.ts'
import { type EventSketch, exampleRecord } from '../../packages/server/src/platform/db/event-example.ts'
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

An event is written in the same transaction as the change it tells of. \`GET /events/{event_id}\` answers one, \`GET /event-types\` this list. [Receive webhooks](../../guides/receive-webhooks.md) says how they come to you.

An endpoint asks for types by name, for all of an object with \`<object>.*\`, or for all there are with \`*\`.

| Type | When |
|---|---|
${rows.join('\n')}
`
}

function eventPage(event: EventSketch): string {
  const { data } = exampleRecord(event, versions.current)
  return `# \`${event.type}\`

${event.about}

What \`data\` holds, for example. On the wire it is a text without these spaces; [Events](../../guides/events.md#data-is-a-text) says why.

\`\`\`json
${JSON.stringify(JSON.parse(data), null, 2)}
\`\`\`

## Members of \`object\`

${memberHead}
${memberRows(event.schema as Schema).join('\n')}

[All types](README.md)
`
}
