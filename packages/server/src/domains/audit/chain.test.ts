import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginning, follow, hashOf, type Link, reaches } from './chain.ts'

function chainOf(entries: readonly string[]): Link[] {
  let end = beginning
  return entries.map((entry) => {
    end = { number: end.number + 1n, hash: hashOf(end.hash, entry) }
    return { ...end, entry }
  })
}

const entries = fc.array(fc.string(), { minLength: 2, maxLength: 30 })
const holds = (links: readonly Link[], head: Link) => {
  const { end, brokenAt } = follow(beginning, links)
  return brokenAt === null && reaches(end, head)
}

test('a chain that nobody touched holds, in one piece and in two', () => {
  fc.assert(
    fc.property(entries, fc.nat(30), (texts, cut) => {
      const links = chainOf(texts)
      const head = links.at(-1) as Link
      expect(holds(links, head)).toBe(true)
      const { end } = follow(beginning, links.slice(0, cut))
      expect(reaches(follow(end, links.slice(cut)).end, head)).toBe(true)
    }),
  )
})

test('an edit, a removal and a swap are each found', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (texts, seed) => {
      const links = chainOf(texts)
      const head = links.at(-1) as Link
      const place = seed % links.length
      const edited = links.with(place, { ...(links[place] as Link), entry: `${links[place]?.entry}!` })
      expect(follow(beginning, edited).brokenAt).toBe(BigInt(place + 1))
      expect(holds(links.toSpliced(place, 1), head)).toBe(false)
      const other = (place + 1) % links.length
      const swapped = links.with(place, links[other] as Link).with(other, links[place] as Link)
      expect(holds(swapped, head)).toBe(false)
    }),
  )
})
