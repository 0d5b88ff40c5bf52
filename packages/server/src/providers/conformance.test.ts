// Every provider of the registry against the suite, and against answers that nobody has thought of.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conformanceOf, type Kit, readingOf } from './conformance.ts'
import type { Found, HttpReply, Provider } from './contract.ts'
import { kit as customKit } from './custom/fixtures/kit.ts'
import { custom, simulator } from './custom/provider.ts'
import { registry } from './registry.ts'

const suites: { id: string; provider: Provider; kit: Kit<unknown> }[] = [
  { id: 'custom', provider: custom as Provider, kit: customKit as Kit<unknown> },
  { id: 'simulator', provider: simulator as Provider, kit: customKit as Kit<unknown> },
]

test('every provider of the registry is here', () => {
  expect(suites.map(({ id }) => id)).toEqual([...registry.keys()])
})

describe.each(suites)('$id', ({ provider, kit }) => {
  test.each(conformanceOf(provider, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })

  const { step, input } = kit.calls[0] as Kit<unknown>['calls'][number]
  const readAll = (reply: HttpReply): Found[] =>
    (['authorize', 'complete', 'lookup', 'close'] as const).map((name) =>
      readingOf(provider, { step: name, input, reply }),
    )
  // One that proves nothing could be repaired by a change.
  const meaningful = kit.replies.filter(({ means }) => means.is !== 'unknown')
  const statuses = fc.constantFrom(200, 201, 202, 204, 400, 401, 402, 404, 409, 422, 429, 500, 502, 503, 504)

  test('whatever JSON comes, it is neither a success nor a decline', () => {
    fc.assert(
      fc.property(statuses, fc.json({ maxDepth: 4 }), (status, body) => {
        for (const found of readAll({ status, headers: {}, body }))
          expect(['unknown', ...(status === 404 ? ['absent'] : [])]).toContain(found.is)
      }),
      { numRuns: 500 },
    )
  })

  test('whatever text comes, it is neither a success nor a decline', () => {
    fc.assert(
      fc.property(statuses, fc.string({ unit: 'binary', maxLength: 200 }), (status, body) => {
        for (const found of readAll({ status, headers: {}, body }))
          expect(['unknown', ...(status === 404 ? ['absent'] : [])]).toContain(found.is)
      }),
      { numRuns: 500 },
    )
  })

  test.each(kit.replies)('"$name", cut anywhere, proves nothing', ({ reply, step, input }) => {
    for (let length = 0; length < reply.body.length; length += 1) {
      const found = readingOf(provider, {
        step,
        input,
        reply: { ...reply, body: reply.body.slice(0, length) },
      })
      expect(['unknown', 'absent']).toContain(found.is)
    }
  })

  test('an answer with one member changed means what it meant, or nothing', () => {
    const objects = meaningful.filter(({ reply }) => reply.body.startsWith('{'))
    fc.assert(
      fc.property(fc.constantFrom(...objects), fc.nat(), strangeValue, (known, place, value) => {
        const body = JSON.stringify(changed(JSON.parse(known.reply.body), place, value))
        const found = readingOf(provider, { ...known, reply: { ...known.reply, body } })

        expect(['unknown', known.means.is]).toContain(found.is)
      }),
      { numRuns: 3_000 },
    )
  })

  test('an answer with one character changed means what it meant, or nothing', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...meaningful),
        fc.nat(),
        fc.string({ maxLength: 2 }),
        (known, place, text) => {
          const at = place % (known.reply.body.length + 1)
          const body = known.reply.body.slice(0, at) + text + known.reply.body.slice(at + 1)
          const found = readingOf(provider, { ...known, reply: { ...known.reply, body } })

          expect(['unknown', known.means.is]).toContain(found.is)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test('no status but those that are agreed makes a success of a record', () => {
    const reply = kit.approve(input as never)
    const meanings = Array.from({ length: 500 }, (_, offset) => offset + 100).map(
      (status) => [status, readingOf(provider, { step, input, reply: { ...reply, status } }).is] as const,
    )

    expect(meanings.filter(([, is]) => is !== 'unknown')).toEqual([
      [200, 'succeeded'],
      [202, 'succeeded'],
    ])
  })
})

/** Nothing that could be one of the words of a protocol. */
const strangeValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1e300, 2 ** 53, 0.5, '', [], {}, [[]], '__proto__'),
  fc.string({ maxLength: 5 }),
  fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text)),
)

/** The object with the nth of its members replaced, or dropped; nested ones count as well. */
function changed(object: Record<string, unknown>, place: number, value: unknown): unknown {
  const paths = pathsIn(object)
  const path = paths[place % paths.length] ?? []
  const copy = structuredClone(object)
  const last = path.at(-1) ?? ''
  const holder = path
    .slice(0, -1)
    .reduce<Record<string, unknown>>((at, name) => at[name] as Record<string, unknown>, copy)
  if (place % 7 === 0) delete holder[last]
  else holder[last] = value
  return copy
}

function pathsIn(object: object, before: readonly string[] = []): string[][] {
  return Object.entries(object).flatMap(([name, member]) => {
    const path = [...before, name]
    const deeper = typeof member === 'object' && member !== null ? pathsIn(member, path) : []
    return [path, ...deeper]
  })
}
