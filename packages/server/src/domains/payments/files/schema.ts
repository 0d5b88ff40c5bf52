import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
} from '../../../kernel/shapes.ts'
import { fileContentTypes, filePurposes } from '../../../providers/contract.ts'
import type { File } from './file.ts'

const Purpose = OneOf(filePurposes, {
  description: 'What the file shows.',
  examples: ['receipt'],
  loggable: true,
})

export const FileObject = Type.Object(
  {
    id: IdOf('file'),
    object: Type.Literal('file'),
    purpose: Purpose,
    name: Type.String({ description: 'File name.', examples: ['receipt.pdf'] }),
    content_type: OneOf(fileContentTypes, {
      description: 'Type of the file, detected from its content.',
      loggable: true,
    }),
    size: Type.Integer({ description: 'Size in bytes.', examples: [48_213] }),
    sha256: Type.String({
      description: 'Hexadecimal SHA-256 hash of the content.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
    dispute_id: nullableWithNullExample(
      IdOf('dispute', 'Dispute that the file is evidence for. Null until it is attached.'),
    ),
    delete_at: nullableWithExample({
      ...Time,
      description:
        'Time at which the file is deleted: 7 days after the upload if it is not attached to a dispute, or 180 days after the end of its dispute. Null while the dispute is open.',
    }),
    created_at: CreatedAt,
  },
  { $id: 'File', description: 'A document that is evidence for a dispute.' },
)

export const FilePath = Type.Object({ file_id: IdOf('file') })

export const CreateFile = Type.Object(
  {
    purpose: Purpose,
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'File name, which the provider may show to the bank.',
      examples: ['receipt.pdf'],
    }),
    content: Type.String({
      minLength: 4,
      description: 'Base64-encoded PDF, JPEG or PNG of up to 5 MB.',
      examples: ['JVBERi0xLjcK'],
    }),
  },
  { additionalProperties: false },
)
export type CreateFile = Static<typeof CreateFile>

export function present(file: File): Static<typeof FileObject> {
  return {
    id: file.id,
    object: 'file',
    purpose: file.purpose,
    name: file.name,
    content_type: file.contentType,
    size: file.size,
    sha256: file.sha256,
    dispute_id: file.disputeId,
    delete_at: file.deleteAt?.toISOString() ?? null,
    created_at: file.createdAt.toISOString(),
  }
}
