import { expect, test } from 'vitest'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { comparePassword, hashPassword } from './password.ts'

const switchyard = await switchyardForThisFile()

test('a hash is of its password alone, and never twice the same', async () => {
  const [one, other] = [await hashPassword('a long password'), await hashPassword('a long password')]

  expect(one).not.toBe(other)
  expect(await comparePassword('a long password', one)).toBe('same')
  expect(await comparePassword('a long passwore', one)).toBe('other')
  expect(await comparePassword('a long password', null)).toBe('other')
})

test('two are hashed at once and fifty wait; whoever comes then is told to come back', async () => {
  const crowd = Array.from({ length: 60 }, (_, nth) => comparePassword(`guess ${nth}`, null))

  const compared = await Promise.all(crowd)

  expect(compared.slice(0, 52).every((one) => one === 'other')).toBe(true)
  expect(compared.slice(52)).toEqual(Array(8).fill('busy'))
})

test('whoever was told to come back has not been wrong, and is let in later', async () => {
  const { email, password } = await switchyard.newOrganization()
  let isCrowded = true
  const guess = async () => {
    while (isCrowded) await comparePassword('a guess', null)
  }
  const crowd = Array.from({ length: 52 }, guess)

  // A fourth wrong try would make the next one wait.
  for (let nth = 0; nth < 4; nth += 1)
    expect(await switchyard.openBrowser().signIn(email, password)).toMatchObject({
      ...{ status: 503, body: { code: 'overloaded' } },
    })
  isCrowded = false
  await Promise.all(crowd)

  expect((await switchyard.openBrowser().signIn(email, password)).status).toBe(200)
})
