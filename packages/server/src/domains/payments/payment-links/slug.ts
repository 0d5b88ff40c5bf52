/** The slug in the URL of a link. */
import type { Mode, Ref } from '../../../kernel/id.ts'
import { readSlug as readObjectSlug } from '../../../kernel/object-slug.ts'
import type { SigningKeys } from '../../../kernel/signature.ts'

export { slugOf } from '../../../kernel/object-slug.ts'

/** The link that the slug identifies; null if the signature is invalid. */
export function readSlug(keys: SigningKeys, mode: Mode, slug: string): Ref<'payment_link'> | null {
  return readObjectSlug(keys, 'payment_link', mode, slug)
}
