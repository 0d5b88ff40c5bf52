/** The tags of the OpenAPI document: operations are grouped by resource, and resources by area. */
import { assert } from '../../kernel/assert.ts'
import type { Operation } from './operation.ts'
import type { JsonObject } from './versions.ts'

/** Resources that belong together. */
export type Area = {
  readonly title: string
  /** The description of each resource, by the first part of the ids of its operations. */
  readonly resources: { readonly [noun: string]: string }
}

/** The tag of the events that the document lists as webhooks. */
const webhooks = {
  name: 'Webhooks',
  description:
    'Events that Switchyard sends to your endpoints. The body is a signed event: verify a signature before you trust it. The same event can arrive more than once and in any order: ignore IDs that you have already processed, and events whose `sequence` is not newer.',
}

/** The tags, in the order of the areas. */
export function tagsOf(operations: readonly Operation[], areas: readonly Area[]): JsonObject[] {
  const described = areas.flatMap(({ resources }) => Object.entries(resources))
  for (const noun of operations.map(nounOf))
    assert(
      described.some(([name]) => name === noun),
      `Describe ${noun} in resources.ts.`,
    )
  return [...described.map(([noun, description]) => ({ name: nameOf(noun), description })), webhooks]
}

/** The groups of the tags, as Redoc and other viewers show them. */
export function tagGroupsOf(areas: readonly Area[]): JsonObject[] {
  return areas.map(({ title, resources }) => {
    const tags = Object.keys(resources).map(nameOf)
    return { name: title, tags: title === webhooks.name ? [...tags, webhooks.name] : tags }
  })
}

export function tagOf(operation: Operation): string {
  return nameOf(nounOf(operation))
}

function nounOf({ id }: Operation): string {
  return id.split('.')[0] as string
}

function nameOf(noun: string): string {
  const words = noun.replaceAll('_', ' ')
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/^Api\b/, 'API')
}
