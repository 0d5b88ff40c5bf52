/** Adds a hint to errors if the caller sent the id of another kind of object or of the other environment. */
import type { Fault, RefusalMembers } from '../../kernel/errors.ts'
import { Refusal } from '../../kernel/errors.ts'
import { controlKinds, describeId, type Kind, kinds, type Mode } from '../../kernel/id.ts'

type RequestInput = { readonly query: unknown; readonly body: unknown }

/** Only for members of the body and the query: ids in a path all get the same 404. */
export function withIdHints(refusal: Refusal, input: RequestInput, mode: Mode): Refusal {
  const { code, members } = refusal
  if (code === 'not_found' || members.errors === undefined) return refusal
  return new Refusal(code, addHints(members, members.errors, input, mode))
}

function addHints(
  members: RefusalMembers,
  faults: readonly Fault[],
  input: RequestInput,
  mode: Mode,
): RefusalMembers {
  const errors = faults.map((fault) => {
    if (fault.code !== 'not_found' && fault.code !== 'bad_format') return fault
    const parts = fault.pointer.slice(1).split('/')
    const name = parts.findLast((part) => !/^\d+$/.test(part)) ?? ''
    const hint = hintFor(name, valueAt(input.body, parts) ?? valueAt(input.query, parts), mode)
    return hint === null ? fault : { ...fault, detail: `${fault.detail}: that is ${hint}` }
  })
  return { ...members, errors }
}

/** Describes a value that is not the id that a member of this name requires; null if there is no hint. */
function hintFor(name: string, value: unknown, mode: Mode): string | null {
  const expected = kindNamed(name.replace(/_ids?$/, ''))
  const found = typeof value === 'string' ? describeId(value) : null
  if (expected === undefined || found === null) return null
  if (found.kind !== expected) return `${withArticle(kindText(found.kind))} id`
  const isControl = (controlKinds as readonly string[]).includes(expected)
  if (isControl || found.mode === mode) return null
  return found.mode === 'test' ? 'an id of the test environment' : 'an id of the live environment'
}

/** The kind that a member name ends with: `default_price` names a price. */
function kindNamed(name: string): Kind | undefined {
  return [...kinds, ...controlKinds].find((kind) => name === kind || name.endsWith(`_${kind}`))
}

function valueAt(value: unknown, parts: readonly string[]): unknown {
  return parts.reduce<unknown>(
    (current, part) =>
      typeof current === 'object' && current !== null && Object.hasOwn(current, part)
        ? (current as Record<string, unknown>)[part]
        : undefined,
    value,
  )
}

const kindText = (kind: Kind) => kind.replaceAll('_', ' ').replace(/^api /, 'API ')
const withArticle = (noun: string) => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
