import { expect, test } from 'vitest'
import { createFairQueue, type QueueEntry } from './fair-queue.ts'

/** A queue that runs one task at a time; `finish` ends the running one. */
function manualQueue(maxWaiting = 100) {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting })
  const started: string[] = []
  const rejected: string[] = []
  let end = () => {}
  const add = (name: string, groups: readonly string[], isPreferred = false) => {
    const task = () => {
      started.push(name)
      return new Promise<void>((resolve) => {
        end = resolve
      })
    }
    const entry: QueueEntry = { groups, isPreferred }
    void queue.run(entry, task, () => rejected.push(name))
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const finish = async (times: number) => {
    for (let nth = 0; nth < times; nth += 1) {
      await turn()
      end()
    }
    await turn()
  }
  return { add, finish, turn, started, rejected }
}

test('a group that has not been served comes before one that has, however long the other has waited', async () => {
  const { add, finish, started } = manualQueue()
  for (let nth = 0; nth < 5; nth += 1) add(`flood ${nth}`, ['flood'])
  add('honest', ['honest'])

  await finish(6)

  expect(started.slice(0, 2)).toEqual(['flood 0', 'honest'])
  expect(started).toHaveLength(6)
})

test('many narrow groups of one wide group share one turn', async () => {
  const { add, finish, started } = manualQueue()
  for (let nth = 0; nth < 5; nth += 1) add(`flood ${nth}`, ['2001:db8::/48', `2001:db8:0:${nth}::/64`])
  add('honest 1', ['192.0.2.1'])
  add('honest 2', ['192.0.2.2'])

  await finish(7)

  expect(started.slice(0, 3)).toEqual(['flood 0', 'honest 1', 'honest 2'])
})

test('within a wide group the narrow ones take turns', async () => {
  const { add, finish, started } = manualQueue()
  for (const nth of [1, 2, 3]) add(`a ${nth}`, ['wide', 'a'])
  add('b 1', ['wide', 'b'])

  await finish(4)

  expect(started).toEqual(['a 1', 'b 1', 'a 2', 'a 3'])
})

test('preferred tasks run first', async () => {
  const { add, finish, started } = manualQueue()
  add('running', ['x'])
  add('new', ['new'])
  add('preferred', ['x'], true)

  await finish(3)

  expect(started).toEqual(['running', 'preferred', 'new'])
})

test('if the queue is full, the task that would run last is rejected', async () => {
  const { add, finish, turn, started, rejected } = manualQueue(2)
  for (let nth = 0; nth < 3; nth += 1) add(`flood ${nth}`, ['flood'])
  add('honest', ['honest'])
  await turn()
  expect(rejected).toEqual(['flood 2'])

  await finish(3)

  expect(started).toEqual(['flood 0', 'honest', 'flood 1'])
})

test('a failed task frees its slot', async () => {
  const queue = createFairQueue({ maxRunning: 1, maxWaiting: 1 })
  const fail = () => Promise.reject(new Error('it failed'))

  await expect(queue.run({ groups: ['a'] }, fail, () => 'full')).rejects.toThrow('it failed')

  expect(
    await queue.run(
      { groups: ['a'] },
      async () => 'done',
      () => 'full',
    ),
  ).toBe('done')
})
