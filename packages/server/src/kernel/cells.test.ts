import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { keysIn } from './cells.ts'
import type { Id } from './id.ts'
import { slugOf } from './object-slug.ts'
import { bytesOf, sign } from './signature.ts'

const workspaceId = 'workspace_test_01KA800000FAY8000000000001' as Id<'workspace'>
const id = 'payment_test_01KA800000FAY8000000000002' as Id<'payment'>
const keys = [Buffer.alloc(32, 1)]
const workspaceKey = [bytesOf(workspaceId)]
const signature = sign(keys, { workspaceId, id }).toString('base64url')
const session = Buffer.concat([bytesOf(id), bytesOf(workspaceId), Buffer.alloc(20)]).toString('base64url')
const secret = `sk_test_${'a'.repeat(38)}`
const workspaceHex = bytesOf(workspaceId).toString('hex')

test.each([
  ['a slug', slugOf(keys, { workspaceId, id }), workspaceKey],
  ['the slug of a portal session', `${slugOf(keys, { workspaceId, id })}secret`, workspaceKey],
  ['a payer link', `${id}.${signature}`, workspaceKey],
  ['the secret of a checkout session', `cs_${signature}`, workspaceKey],
  ['the secret of an opened link', `cs_${signature}eyJhIjoxfQ`, workspaceKey],
  ['a download link', `test.${workspaceHex}.${'0'.repeat(32)}.1700000000000.${'A'.repeat(43)}`, workspaceKey],
  ['a token of a dashboard session', `dk_test_${session}`, workspaceKey],
  ['an id', id, [bytesOf(id)]],
  ['an API token', secret, [createHash('sha256').update(secret).digest()]],
  [
    'a publishable token',
    secret.replace('sk', 'pk'),
    [createHash('sha256').update(secret.replace('sk', 'pk')).digest()],
  ],
  ['any other text', 'nonsense', []],
  ['an empty text', '', []],
])('the keys in %s', (_, text, expected) => {
  expect(keysIn(text).map((key) => Buffer.from(key).toString('hex'))).toEqual(
    expected.map((key) => key.toString('hex')),
  )
})
