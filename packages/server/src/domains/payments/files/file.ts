/** A file that a merchant uploads as evidence, and the recognition of its type by its content. No side effects. */
import type { Id } from '../../../kernel/id.ts'
import type { EvidenceFile } from '../../../providers/contract.ts'

export type File = Pick<EvidenceFile, 'name' | 'purpose' | 'contentType' | 'size'> & {
  readonly id: Id<'file'>
  /** Hexadecimal. */
  readonly sha256: string
  readonly disputeId: Id<'dispute'> | null
  readonly deleteAt: Date | null
  readonly createdAt: Date
  readonly version: number
}

export const maxFileBytes = 5 * 1024 * 1024

const signatures: readonly { readonly contentType: File['contentType']; readonly start: Buffer }[] = [
  { contentType: 'application/pdf', start: Buffer.from('%PDF-') },
  { contentType: 'image/jpeg', start: Buffer.from([0xff, 0xd8, 0xff]) },
  { contentType: 'image/png', start: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
]

/** Null if the content is none of the supported types. */
export function contentTypeOf(content: Buffer): File['contentType'] | null {
  return signatures.find(({ start }) => content.subarray(0, start.length).equals(start))?.contentType ?? null
}

/** Null if the text is not base64. Buffer would ignore other characters. */
export function fromBase64(text: string): Buffer | null {
  const content = Buffer.from(text, 'base64')
  const isComplete = text.length % 4 === 0 && content.length === (text.length / 4) * 3 - paddingOf(text)
  return isComplete ? content : null
}

function paddingOf(text: string): number {
  if (text.endsWith('==')) return 2
  return text.endsWith('=') ? 1 : 0
}
