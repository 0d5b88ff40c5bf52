// What a page of the API has described already. Members with many members of their own, and examples, stand on it
// once; later places link to the first.

import type { Schema } from '../sdk-schema.ts'

export type PageMemory = ReturnType<typeof pageMemory>

/** Fewer members are quicker to read again than to look up. */
const worthALink = 4

export function pageMemory() {
  const members = new Map<string, string>()
  const examples = new Map<string, string>()
  return {
    /** For the section with that heading: where the members of a member are described; null if it is here. */
    membersFor: (heading: string) => (member: Schema) => {
      const inner = member.properties ?? member.items?.properties
      if (inner === undefined || sizeOf(member) < worthALink) return null
      return recall(members, JSON.stringify(inner), heading)
    },
    /** Which section shows an answer like this; null if this is the first. */
    exampleOf: (answer: string, heading: string) => recall(examples, answer, heading),
  }
}

function recall(known: Map<string, string>, what: string, heading: string): string | null {
  const first = known.get(what)
  if (first === undefined) known.set(what, heading)
  return first === undefined || first === heading ? null : `[${first}](#${anchorOf(first)})`
}

function sizeOf({ properties = {}, items }: Schema): number {
  const inner = Object.values(properties).map((member) => 1 + sizeOf(member))
  return inner.reduce((sum, size) => sum + size, items === undefined ? 0 : sizeOf(items))
}

/** As GitHub makes it of a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
