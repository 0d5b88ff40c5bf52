import type { ProviderAccount } from '@switchyard/sdk'
import { Chip } from '../../../ui/status.tsx'
import { standingOf } from './words.ts'

export function StandingChip({ of }: { of: ProviderAccount }) {
  const { text, mark, tone, reason } = standingOf(of)
  return (
    <span title={reason}>
      <Chip mark={mark} tone={tone} text={text} />
    </span>
  )
}
