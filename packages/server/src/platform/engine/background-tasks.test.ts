import { expect, test } from 'vitest'
import { BackgroundTasks } from './background-tasks.ts'

const refs = ['a', 'b', 'c'].map((id) => ({ workspaceId: 'w', id }))

test('callers do not wait for started tasks, no task is started twice, and the concurrency never exceeds the limit', async () => {
  const backgroundTasks = new BackgroundTasks()
  const started: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const body = ({ id }: { id: string }) => {
    started.push(id)
    return promise
  }
  const start = (concurrency: number) =>
    backgroundTasks.start({ name: 'endpoint.serve', concurrency }, refs, body)

  expect([start(2), start(2), start(3), start(9)]).toEqual([2, 0, 1, 0])
  expect(started).toEqual(['a', 'b', 'c'])
  expect(backgroundTasks.start({ name: 'endpoint.sweep', concurrency: 1 }, refs, body)).toBe(1)
  resolve()
  await backgroundTasks.finished()
  expect(start(9)).toBe(3)
})
