/** Postings of a period, in pages, for exports. */
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { type PostingPage, type PostingRange, readPostingPage } from '../store/postings.ts'

/** Reads a limited number of postings in the order of their ids, and returns those of the period. */
export function readPostings(view: View, range: PostingRange): Promise<PostingPage> {
  return readPostingPage(view, range)
}
