// A page for each type of event: when it happens, what it carries, and a sample that fits its schema.

import { eventTypes } from '../../packages/server/src/event-types.ts'
import { type EventSketch, exampleRecord } from '../../packages/server/src/platform/db/event-example.ts'
import { versions } from '../../packages/server/src/versions/registry.ts'
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

| Member | Type | |
|---|---|---|
${rowsOf(event.schema as Schema, '').join('\n')}

[All types](README.md)
`
}

/** A row for each member; members of members follow theirs. */
function rowsOf(schema: Schema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    `| \`${path}${name}\` | ${typeWord(member)} | ${cell(member.description ?? '')} |`,
    ...rowsOf(member, `${path}${name}.`),
    ...rowsOf(member.items ?? {}, `${path}${name}[].`),
  ])
}

function typeWord({ type, const: constant, enum: words }: Schema): string {
  if (constant !== undefined) return code(constant)
  if (words !== undefined) return words.map(code).join(', ')
  return [type ?? 'object'].flat().join(' or ')
}

const code = (word: unknown) => `\`${word}\``

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
