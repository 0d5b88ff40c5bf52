/** The resources of the document: what operations are grouped by, and what each group is about. */
import { assert } from '../../kernel/assert.ts'
import type { Operation } from './operation.ts'
import type { JsonObject } from './versions.ts'

/** By the first part of the ids of its operations. */
export type Resources = { readonly [noun: string]: string }

const webhooks = {
  name: 'Webhooks',
  description: 'What Switchyard sends to your endpoints. The body is an event, signed.',
}

export function tagsOf(operations: readonly Operation[], resources: Resources): JsonObject[] {
  const nouns = [...new Set(operations.map(nounOf))].map((noun) => {
    const description = resources[noun]
    assert(description !== undefined, `Say in resources.ts what ${noun} are.`)
    return { name: nameOf(noun), description }
  })
  return [...nouns, webhooks]
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
