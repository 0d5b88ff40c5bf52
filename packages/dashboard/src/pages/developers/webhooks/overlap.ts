/** How long an earlier secret goes on beside a new one. */
import type { Option } from '../../../ui/fields.tsx'

export const overlaps: readonly Option[] = [
  { value: '0', text: 'No overlap: end earlier ones now' },
  { value: '3600', text: '1 hour' },
  { value: '86400', text: '24 hours' },
  { value: '604800', text: '7 days' },
]
