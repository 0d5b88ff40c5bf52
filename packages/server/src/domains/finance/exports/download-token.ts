/**
 * The token of a download link: the workspace, the export and the expiry time, with a signature. It need not be stored
 * and cannot be altered. No side effects.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Id, idFromUuid, type Mode, modeOf, uuidOf } from '../../../kernel/id.ts'

export const linkSeconds = 15 * 60

export type Download = {
  readonly workspaceId: Id<'workspace'>
  readonly exportId: Id<'export'>
  readonly expiresAt: Date
}

/** Signs with the first key. Signatures of the other keys stay valid. */
export function signDownload([key]: readonly Uint8Array[], download: Download): string {
  const { workspaceId, exportId, expiresAt } = download
  const content = [
    modeOf(exportId),
    uuidOf(workspaceId).replaceAll('-', ''),
    uuidOf(exportId).replaceAll('-', ''),
    String(expiresAt.getTime()),
  ].join('.')
  return `${content}.${signatureOf(key as Uint8Array, content).toString('base64url')}`
}

const tokenPattern = /^((live|test)\.([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9]{1,15}))\.([\w-]{43})$/

/** Null if no key matches the signature, or if the token belongs to the other environment. */
export function verifyDownload(keys: readonly Uint8Array[], mode: Mode, token: string): Download | null {
  const [, content = '', ofMode, workspace = '', exported = '', expiresMs, signature = ''] =
    tokenPattern.exec(token) ?? []
  const received = Buffer.from(signature, 'base64url')
  const isValid = keys.some((key) => {
    const expected = signatureOf(key, content)
    return expected.length === received.length && timingSafeEqual(expected, received)
  })
  if (!isValid || ofMode !== mode) return null
  return {
    workspaceId: idFromUuid('workspace', mode, uuidFrom(workspace)),
    exportId: idFromUuid('export', mode, uuidFrom(exported)),
    expiresAt: new Date(Number(expiresMs)),
  }
}

function uuidFrom(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function signatureOf(key: Uint8Array, content: string): Buffer {
  return createHmac('sha256', key).update(`export download ${content}`).digest()
}
