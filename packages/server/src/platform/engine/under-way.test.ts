import { expect, test } from 'vitest'
import { UnderWay } from './under-way.ts'

const refs = ['a', 'b', 'c'].map((id) => ({ workspaceId: 'w', id }))

test('nobody waits for what was begun, nothing is begun twice, and never more than there are hands', async () => {
  const underWay = new UnderWay()
  const begun: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const body = ({ id }: { id: string }) => {
    begun.push(id)
    return promise
  }
  const begin = (hands: number) => underWay.begin({ name: 'lane.serve', hands }, refs, body)

  expect([begin(2), begin(2), begin(3), begin(9)]).toEqual([2, 0, 1, 0])
  expect(begun).toEqual(['a', 'b', 'c'])
  expect(underWay.begin({ name: 'lane.sweep', hands: 1 }, refs, body)).toBe(1)
  resolve()
  await underWay.ended()
  expect(begin(9)).toBe(3)
})
