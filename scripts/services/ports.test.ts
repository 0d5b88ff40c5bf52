import { expect, test } from 'vitest'
import { freePort } from './ports.ts'

test('a port is returned only once, even while no process listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: 1_000 }, () => freePort()))
  expect(new Set(ports).size).toBe(1_000)
})
