// Records what an API page has already described. Large nested objects and examples are shown once; later sections
// link to the first one.

import type { Schema } from '../sdk-schema.ts'

export type PageState = ReturnType<typeof createPageState>

/** A nested object with at least this many members is linked instead of repeated. */
const minLinkedMembers = 4

export function createPageState() {
  const members = new Map<string, string>()
  const examples = new Map<string, string>()
  return {
    /** A link to the section that describes the same nested members; null if this section is the first. */
    membersFor: (heading: string) => (member: Schema) => {
      const inner = member.properties ?? member.items?.properties
      if (inner === undefined || sizeOf(member) < minLinkedMembers) return null
      return linkToFirst(members, JSON.stringify(inner), heading)
    },
    /** A link to the section with the same example; null if this section is the first. */
    exampleOf: (example: string, heading: string) => linkToFirst(examples, example, heading),
  }
}

function linkToFirst(headings: Map<string, string>, content: string, heading: string): string | null {
  const first = headings.get(content)
  if (first === undefined) headings.set(content, heading)
  return first === undefined || first === heading ? null : `[${first}](#${anchorOf(first)})`
}

function sizeOf({ properties = {}, items }: Schema): number {
  const inner = Object.values(properties).map((member) => 1 + sizeOf(member))
  return inner.reduce((sum, size) => sum + size, items === undefined ? 0 : sizeOf(items))
}

/** The anchor of a heading, as on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
