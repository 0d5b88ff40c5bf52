import { expect, test } from 'vitest'
import { idFromUuid, idMaker, type Mode } from '../../../kernel/id.ts'
import { signDownload, verifyDownload } from './download-token.ts'

const [key, otherKey] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
const expiresAt = new Date('2026-11-14T12:15:00.000Z')
function newDownload(mode: Mode) {
  const nextUuid = idMaker(new Date(), 0)
  return {
    workspaceId: idFromUuid('workspace', mode, nextUuid()),
    exportId: idFromUuid('export', mode, nextUuid()),
    expiresAt,
  }
}
const download = newDownload('test')
const token = signDownload([key], download)

test('a token contains what was signed, even after the key was rotated', () => {
  expect(verifyDownload([key], 'test', token)).toEqual(download)
  expect(verifyDownload([otherKey, key], 'test', token)).toEqual(download)
})

test('a token signed with a different key or for the other environment is rejected', () => {
  expect(verifyDownload([otherKey], 'test', token)).toBeNull()
  expect(verifyDownload([key], 'live', token)).toBeNull()
})

test('a token with any changed character is rejected', () => {
  for (let index = 0; index < token.length; index += 1) {
    const replacement = token[index] === '1' ? '2' : '1'
    const changed = token.slice(0, index) + replacement + token.slice(index + 1)
    // The last character of the signature has two unused bits.
    if (index === token.length - 1) continue
    expect(verifyDownload([key], 'test', changed), changed).toBeNull()
  }
  expect(verifyDownload([key], 'test', `${token}1`)).toBeNull()
  expect(verifyDownload([key], 'test', '')).toBeNull()
})
