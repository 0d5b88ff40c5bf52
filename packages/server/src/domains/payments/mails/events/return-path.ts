/**
 * The envelope sender of each e-mail contains a signed token that identifies the e-mail, so a mail server
 * that returns the e-mail identifies it, even if its message contains no other part of the e-mail. No side
 * effects.
 */
import { timingSafeEqual } from 'node:crypto'
import { idFromUuid, type Ref } from '../../../../kernel/id.ts'
import { bytesOf, type SigningKeys, sign, uuidBytes, uuidFrom } from '../../../../kernel/signature.ts'

/**
 * The e-mail, its workspace, and the first half of the authentication code: the part of an address before the @ may have 64
 * characters, so the whole code does not fit.
 */
const tokenBytes = 2 * uuidBytes + uuidBytes / 2

export function returnPathOf(address: string, keys: SigningKeys, mail: Ref<'mail'>): string {
  const token = tokenOf(keys, mail).toString('base64url')
  return address.replace('@', `+${token}@`)
}

function tokenOf(keys: SigningKeys, mail: Ref<'mail'>): Buffer {
  return Buffer.concat([bytesOf(mail.id), sign(keys, mail)]).subarray(0, tokenBytes)
}

/** The e-mail whose envelope sender is in the text; null if there is none with a valid signature. */
export function findReturnPath(text: string, address: string, keys: SigningKeys): Ref<'mail'> | null {
  const [local, domain = ''] = address.split('@')
  const pattern = `\\b${local}\\+([\\w-]+)@${domain.replaceAll('.', '\\.')}`
  const [, token = ''] = new RegExp(pattern, 'i').exec(text) ?? []
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== tokenBytes) return null
  for (const mode of ['live', 'test'] as const) {
    const mail: Ref<'mail'> = {
      id: idFromUuid('mail', mode, uuidFrom(bytes.subarray(0, uuidBytes))),
      workspaceId: idFromUuid('workspace', mode, uuidFrom(bytes.subarray(uuidBytes, 2 * uuidBytes))),
    }
    if (keys.some((key) => timingSafeEqual(tokenOf([key], mail), bytes))) return mail
  }
  return null
}
