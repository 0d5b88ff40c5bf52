// Runs the suite and generated responses against every provider of the registry.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conformanceOf, interpret, type Kit } from './conformance.ts'
import type { Found, HttpReply, Provider } from './contract.ts'
import { kit as customKit } from './custom/fixtures/kit.ts'
import { custom, simulator } from './custom/provider.ts'
import { registry } from './registry.ts'

const suites: { id: string; provider: Provider; kit: Kit<unknown> }[] = [
  { id: 'custom', provider: custom as Provider, kit: customKit as Kit<unknown> },
  { id: 'simulator', provider: simulator as Provider, kit: customKit as Kit<unknown> },
]

test('the registry contains exactly the tested providers', () => {
  expect(suites.map(({ id }) => id)).toEqual([...registry.keys()])
})

describe.each(suites)('$id', ({ provider, kit }) => {
  test.each(conformanceOf(provider, kit))('$name', ({ fault }) => {
    expect(fault()).toBeNull()
  })

  const { step, input } = kit.calls[0] as Kit<unknown>['calls'][number]
  const readAll = (reply: HttpReply): Found[] =>
    (['authorize', 'complete', 'lookup', 'close'] as const).map((name) =>
      interpret(provider, { step: name, input, reply }),
    )
  // A response that proves nothing could become meaningful after a change.
  const meaningful = kit.replies.filter(({ expected }) => expected.is !== 'unknown')
  const statuses = fc.constantFrom(200, 201, 202, 204, 400, 401, 402, 403, 404, 409, 422, 429, 500, 502, 503)
  // 401 and 403 prove by their status that this call was rejected before processing, and nothing else.
  const expectNoProof = (status: number, found: Found, alsoAllowed: readonly string[]) => {
    const isRefusal = (status === 401 || status === 403) && found.is === 'rejected'
    if (!isRefusal) return expect(['unknown', ...alsoAllowed]).toContain(found.is)
    expect(found).toMatchObject({ fault: { code: 'provider_credentials_invalid' }, thisCallOnly: true })
  }

  test('arbitrary JSON is neither a success nor a decline', () => {
    fc.assert(
      fc.property(statuses, fc.json({ maxDepth: 4 }), (status, body) => {
        for (const found of readAll({ status, headers: {}, body }))
          expectNoProof(status, found, status === 404 ? ['absent'] : [])
      }),
      { numRuns: 500 },
    )
  })

  test('arbitrary text is neither a success nor a decline', () => {
    fc.assert(
      fc.property(statuses, fc.string({ unit: 'binary', maxLength: 200 }), (status, body) => {
        for (const found of readAll({ status, headers: {}, body }))
          expectNoProof(status, found, status === 404 ? ['absent'] : [])
      }),
      { numRuns: 500 },
    )
  })

  test.each(kit.replies)('"$name", truncated anywhere, proves nothing', ({ reply, step, input }) => {
    for (let length = 0; length < reply.body.length; length += 1) {
      const found = interpret(provider, {
        step,
        input,
        reply: { ...reply, body: reply.body.slice(0, length) },
      })
      expectNoProof(reply.status, found, ['absent'])
    }
  })

  test('a response with one member changed has the same meaning, or none', () => {
    const objects = meaningful.filter(({ reply }) => reply.body.startsWith('{'))
    fc.assert(
      fc.property(fc.constantFrom(...objects), fc.nat(), arbitraryValue, (known, index, value) => {
        const body = JSON.stringify(changeMember(JSON.parse(known.reply.body), index, value))
        const found = interpret(provider, { ...known, reply: { ...known.reply, body } })

        expect(['unknown', known.expected.is]).toContain(found.is)
      }),
      { numRuns: 3_000 },
    )
  })

  test('a response with one character changed has the same meaning, or none', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...meaningful),
        fc.nat(),
        fc.string({ maxLength: 2 }),
        (known, index, text) => {
          const position = index % (known.reply.body.length + 1)
          const body = known.reply.body.slice(0, position) + text + known.reply.body.slice(position + 1)
          const found = interpret(provider, { ...known, reply: { ...known.reply, body } })

          expect(['unknown', known.expected.is]).toContain(found.is)
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test('only the specified statuses make a record a success', () => {
    const reply = kit.approve(input as never)
    const meanings = Array.from({ length: 500 }, (_, offset) => offset + 100).map(
      (status) => [status, interpret(provider, { step, input, reply: { ...reply, status } }).is] as const,
    )

    expect(meanings.filter(([, is]) => is !== 'unknown')).toEqual([
      [200, 'succeeded'],
      [202, 'succeeded'],
    ])
  })
})

/** Values that no protocol defines. */
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
  if (index % 7 === 0) delete parent[last]
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
