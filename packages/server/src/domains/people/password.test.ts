import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { hashPassword, isPassword } from './password.ts'

const switchyard = await switchyardForThisFile()

test('a hash is of its password alone, and never twice the same', async () => {
  const [one, other] = [await hashPassword('a long password'), await hashPassword('a long password')]

  expect(one).not.toBe(other)
  expect(await isPassword('a long password', one)).toBe(true)
  expect(await isPassword('a long passwore', one)).toBe(false)
  expect(await isPassword('a long password', null)).toBe(false)
})

test('two are hashed at once and fifty wait; whoever comes then is told to come back, and later is let in', async () => {
  const { email, password } = await switchyard.newOrganization()
  const crowd = Array.from({ length: 60 }, (_, nth) => isPassword(`guess ${nth}`, null))

  const settled = await Promise.allSettled(crowd)

  const refused = settled.filter((one) => one.status === 'rejected').map(({ reason }) => reason)
  expect(settled.slice(0, 52).every(({ status }) => status === 'fulfilled')).toBe(true)
  expect(refused).toHaveLength(8)
  expect(refused[0]).toMatchObject({ code: 'overloaded', members: { retryAfterSeconds: 1 } })
  expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
})
