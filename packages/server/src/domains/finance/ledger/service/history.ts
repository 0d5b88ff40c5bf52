/** Postings of a period, in pages, for exports. */
import type { View } from '../../../../platform/db/unit-of-work.ts'
import {
  type BookingRange,
  type PostingPage,
  type PostingRange,
  readBookedPage,
  readPostingPage,
} from '../store/postings.ts'

/** Reads a limited number of postings in the order of their ids, and returns those of the period. */
export function readPostings(view: View, range: PostingRange): Promise<PostingPage> {
  return readPostingPage(view, range)
}

/** Reads a limited number of the postings that were booked in a period, in the order of their booking. */
export function readBookedPostings(view: View, range: BookingRange): Promise<PostingPage> {
  return readBookedPage(view, range)
}
