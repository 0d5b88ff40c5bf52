// Generated responses of a provider: arbitrary, truncated and changed ones. None may become a success or a decline that
// the provider did not send.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Money } from '../../src/kernel/money.ts'
import { interpret, type Kit } from '../../src/providers/conformance.ts'
import type { Found, HttpReply, Provider } from '../../src/providers/contract.ts'
import { differsFrom } from '../../src/providers/evidence.ts'
import type { StepName } from '../../src/providers/perform.ts'

type Options = {
  /** The steps that read arbitrary responses, with their input. */
  readonly steps: readonly { readonly step: StepName; readonly input: unknown }[]
  /** Whether status 404 without a readable body means that the operation does not exist. */
  readonly notFoundIsAbsent?: boolean
  /** The number of changed responses. More for providers with large objects. */
  readonly runs?: number
  /** The distance between the lengths of truncated responses. */
  readonly truncateEvery?: number
  /**
   * Whether a changed amount may become a success with a different amount. Payments with such a result are
   * reviewed.
   */
  readonly allowOtherAmount?: boolean
}

const someStatuses = [200, 201, 202, 204, 400, 401, 402, 403, 404, 409, 422, 424, 429, 500, 502, 503] as const
const statuses = fc.constantFrom(...someStatuses)

export function describeGeneratedResponses<Config>(
  provider: Provider<Config>,
  kit: Kit<Config>,
  { steps, notFoundIsAbsent = false, runs = 3_000, truncateEvery = 1, allowOtherAmount = false }: Options,
): void {
  const untyped = provider as Provider
  // A response that proves nothing could become meaningful after a change.
  const meaningful = kit.replies.filter(
    ({ expected, reply }) => expected.is !== 'unknown' && reply.body !== '',
  )
  const expectSameMeaning = (known: (typeof meaningful)[number], body: string) => {
    const found = interpret(untyped, { ...known, reply: { ...known.reply, body } })
    if (allowOtherAmount && differsFrom((known.input as { money: Money }).money, found)) return
    expect(['unknown', known.expected.is]).toContain(found.is)
  }
  const expectNoProof = (status: number, found: Found) => {
    // 401 and 403 prove by their status that this call was rejected before processing, and nothing else.
    if ((status === 401 || status === 403) && found.is === 'rejected')
      return expect(found).toMatchObject({
        fault: { code: 'provider_credentials_invalid' },
        thisCallOnly: true,
      })
    expect(notFoundIsAbsent && status === 404 ? ['unknown', 'absent'] : ['unknown']).toContain(found.is)
  }
  const expectNoProofInAnyStep = (reply: HttpReply) => {
    for (const { step, input } of steps)
      expectNoProof(reply.status, interpret(untyped, { step, input, reply }))
  }

  describe(`generated responses of ${provider.id}`, () => {
    test('arbitrary JSON proves nothing', () => {
      fc.assert(
        fc.property(statuses, fc.json({ maxDepth: 4 }), (status, body) =>
          expectNoProofInAnyStep({ status, headers: {}, body }),
        ),
        { numRuns: 500 },
      )
    })

    test('arbitrary text proves nothing', () => {
      fc.assert(
        fc.property(statuses, fc.string({ unit: 'binary', maxLength: 200 }), (status, body) =>
          expectNoProofInAnyStep({ status, headers: {}, body }),
        ),
        { numRuns: 500 },
      )
    })

    test.each(kit.replies)('"$name", truncated anywhere, proves nothing', ({ reply, step, input }) => {
      for (let length = 0; length < reply.body.length; length += truncateEvery) {
        const body = reply.body.slice(0, length)
        expectNoProof(reply.status, interpret(untyped, { step, input, reply: { ...reply, body } }))
      }
    })

    test('a response with one member changed has the same meaning, or none', () => {
      const objects = meaningful.filter(({ reply }) => reply.body.startsWith('{'))
      fc.assert(
        fc.property(fc.constantFrom(...objects), fc.nat(), arbitraryValue, (known, index, value) =>
          expectSameMeaning(known, JSON.stringify(changeMember(JSON.parse(known.reply.body), index, value))),
        ),
        { numRuns: runs },
      )
    })

    test('a response with one character changed has the same meaning, or none', () => {
      const text = fc.string({ maxLength: 2 })
      fc.assert(
        fc.property(fc.constantFrom(...meaningful), fc.nat(), text, (known, index, inserted) => {
          const { body } = known.reply
          const position = index % (body.length + 1)
          expectSameMeaning(known, body.slice(0, position) + inserted + body.slice(position + 1))
        }),
        { numRuns: runs },
      )
    })
  })
}

/** Values that no provider defines. */
const arbitraryValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e300, 2 ** 53, 0.5, '', [], {}, [[]], '__proto__'),
  fc.string({ maxLength: 5 }),
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text)),
)

/** The object with its nth member, including nested ones, replaced or dropped. */
function changeMember(object: Record<string, unknown>, index: number, value: unknown): unknown {
  const paths = pathsIn(object)
  const path = paths[index % paths.length] ?? []
  const copy = structuredClone(object)
  const last = path.at(-1) ?? ''
  const parent = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((current, name) => current[name] as Record<string, unknown>, copy)
  if (index % 7 === 0 && !Array.isArray(parent)) delete parent[last]
  else parent[last] = value
  return copy
}

function pathsIn(object: object, before: readonly string[] = []): string[][] {
  return Object.entries(object).flatMap(([name, member]) => {
    const path = [...before, name]
    const deeper = typeof member === 'object' && member !== null ? pathsIn(member, path) : []
    return [path, ...deeper]
  })
}
