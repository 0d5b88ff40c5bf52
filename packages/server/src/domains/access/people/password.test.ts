import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { runPasswordTask } from './service/password-queue.ts'

const switchyard = await switchyardForThisFile()

test('a hash verifies only its own password, and hashing is salted', async () => {
  const [hash, otherHash] = [await hashPassword('a long password'), await hashPassword('a long password')]

  expect(hash).not.toBe(otherHash)
  expect(await verifyPassword('a long password', hash)).toBe(true)
  expect(await verifyPassword('a long passwore', hash)).toBe(false)
  expect(await verifyPassword('a long password', null)).toBe(false)
})

test('two passwords are hashed concurrently and a hundred wait; further requests get 503', async () => {
  const release = Promise.withResolvers<void>()
  const tasks = Array.from({ length: 110 }, () =>
    runPasswordTask({ groups: ['192.0.2.1'] }, () => release.promise),
  )
  const outcomes = Promise.allSettled(tasks)

  release.resolve()

  const results = await outcomes
  expect(results.slice(0, 102).every(({ status }) => status === 'fulfilled')).toBe(true)
  expect(results.slice(102).map((result) => result.status === 'rejected' && result.reason.code)).toEqual(
    Array(8).fill('overloaded'),
  )
})

test('while one network floods the queue, sign-ins from another succeed and do not count as failed attempts', async () => {
  const { email, password } = await switchyard.newOrganization()
  let isFlooding = true
  const flood = async () => {
    while (isFlooding) {
      // Each task takes as long as hashing a password, and a rejected one is repeated immediately.
      const task = runPasswordTask({ groups: ['2001:db8::/48'] }, () => setTimeout(20))
      await task.catch(() => setTimeout(1))
    }
  }
  const floods = Array.from({ length: 120 }, flood)

  for (let nth = 0; nth < 4; nth += 1)
    expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
  isFlooding = false
  await Promise.all(floods)
})
