import { expect, test, vi } from 'vitest'
import { createCoalescer } from './coalesce.ts'

test('the first message is sent immediately, repeats are sent once, and the last one is never lost', () => {
  vi.useFakeTimers()
  const sent: string[] = []
  const { send } = createCoalescer<string>(10, (message) => sent.push(message))

  send('a', 'a1')
  send('b', 'b1')
  for (let nth = 2; nth <= 50; nth += 1) send('a', `a${nth}`)
  expect(sent).toEqual(['a1', 'b1'])

  vi.advanceTimersByTime(10)
  expect(sent).toEqual(['a1', 'b1', 'a50'])
  // Still within the window of the last message.
  send('a', 'a51')
  expect(sent).toHaveLength(3)
  vi.advanceTimersByTime(10)
  expect(sent.at(-1)).toBe('a51')

  vi.advanceTimersByTime(20)
  expect(vi.getTimerCount()).toBe(0)
  send('a', 'a52')
  expect(sent.at(-1)).toBe('a52')
  vi.useRealTimers()
})
