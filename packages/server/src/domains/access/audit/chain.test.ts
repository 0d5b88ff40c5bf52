import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyChain, hashOf, isAtHead, type Link, verifyLinks } from './chain.ts'

function chainOf(entries: readonly string[]): Link[] {
  let end = emptyChain
  return entries.map((entry) => {
    end = { number: end.number + 1n, hash: hashOf(end.hash, entry) }
    return { ...end, entry }
  })
}

const entries = fc.array(fc.string(), { minLength: 2, maxLength: 30 })
const isIntact = (links: readonly Link[], head: Link) => {
  const { end, brokenAt } = verifyLinks(emptyChain, links)
  return brokenAt === null && isAtHead(end, head)
}

test('an unchanged chain verifies, as a whole and in two parts', () => {
  fc.assert(
    fc.property(entries, fc.nat(30), (texts, splitAt) => {
      const links = chainOf(texts)
      const head = links.at(-1) as Link
      expect(isIntact(links, head)).toBe(true)
      const { end } = verifyLinks(emptyChain, links.slice(0, splitAt))
      expect(isAtHead(verifyLinks(end, links.slice(splitAt)).end, head)).toBe(true)
    }),
  )
})

test('an edited, a removed and a swapped entry are each detected', () => {
  fc.assert(
    fc.property(entries, fc.nat(), (texts, seed) => {
      const links = chainOf(texts)
      const head = links.at(-1) as Link
      const index = seed % links.length
      const edited = links.with(index, { ...(links[index] as Link), entry: `${links[index]?.entry}!` })
      expect(verifyLinks(emptyChain, edited).brokenAt).toBe(BigInt(index + 1))
      expect(isIntact(links.toSpliced(index, 1), head)).toBe(false)
      const other = (index + 1) % links.length
      const swapped = links.with(index, links[other] as Link).with(other, links[index] as Link)
      expect(isIntact(swapped, head)).toBe(false)
    }),
  )
})
