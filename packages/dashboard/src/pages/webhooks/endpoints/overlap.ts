/** How long an earlier secret stays valid after a rotation. */
import type { Option } from '../../../ui/fields.tsx'

export const overlaps: readonly Option[] = [
  { value: '0', text: 'Immediately, no overlap' },
  { value: '3600', text: 'After 1 hour' },
  { value: '86400', text: 'After 24 hours' },
  { value: '604800', text: 'After 7 days' },
]
