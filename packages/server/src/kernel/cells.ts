/**
 * Other cells, which serve other workspaces. What a request contains, such as a token or the slug of a page, is looked up in
 * the directories of the other cells by its keys. The signatures of other cells cannot be verified here, so a key proves
 * nothing: it only finds the cell.
 */
import { createHash } from 'node:crypto'
import { refuse } from './errors.ts'
import { describeId, type Id } from './id.ts'
import { bytesOf, uuidBytes } from './signature.ts'

export type Cell = {
  readonly name: string
  readonly live: string
  readonly test: string
  readonly dashboard: string
}

export type Cells = {
  /** The other cell whose directory has one of the keys; null if there is none. */
  find(keys: readonly Uint8Array[]): Promise<Cell | null>
}

const secretPattern = /^[sp]k_(?:live|test)_[0-9A-Za-z]{38}$/
const sessionPattern = /^dk_(?:live|test)_([\w-]{70})$/
const checkoutSecretPattern = /^cs_([\w-]{43,})$/
const payerLinkPattern = /^payment_(?:test_)?[0-9A-Z]{26}\.([\w-]{43})$/i
const downloadPattern = /^(?:live|test)\.([0-9a-f]{32})\.[0-9a-f]{32}\./
/** A slug consists of the id of an object, its workspace, and a code. A portal session adds a secret. */
const slugPattern = /^([\w-]{64})/

/** The keys in a token, an id, or a part of a URL. */
export function keysIn(text: string): readonly Uint8Array[] {
  if (secretPattern.test(text)) return [createHash('sha256').update(text).digest()]
  if (describeId(text) !== null) return [bytesOf(text as Id<'workspace'>)]
  const [, download] = downloadPattern.exec(text) ?? []
  if (download !== undefined) return [Buffer.from(download, 'hex')]
  const [, signed] = checkoutSecretPattern.exec(text) ?? payerLinkPattern.exec(text) ?? []
  if (signed !== undefined) return [uuidAt(signed, 0)]
  const [, withId] = sessionPattern.exec(text) ?? slugPattern.exec(text) ?? []
  return withId === undefined ? [] : [uuidAt(withId, uuidBytes)]
}

function uuidAt(base64url: string, start: number): Uint8Array {
  return Buffer.from(base64url, 'base64url').subarray(start, start + uuidBytes)
}

/** Rejects a request for a workspace of another cell, and names the address to use. */
export function refuseWrongCell(address: string): never {
  return refuse('wrong_cell', {
    detail: `The workspace is in another cell. Send the request to ${address}.`,
    cell_address: address,
  })
}
