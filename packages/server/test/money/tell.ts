// A failure as a person reads it: a numbered list of plain sentences, and how to see it again.

import type { Failure } from './shrink.ts'

const termsText: Readonly<Record<string, string>> = {
  all: 'The providers answer repeats, can be asked, and can close what is open.',
  no_replay: 'The providers do not recognize repeats.',
  no_lookup: 'The providers cannot be asked what became of something.',
  no_close: 'The providers cannot close what is open.',
  lookup_only: 'The providers can be asked what became of something, and nothing else.',
  close_only: 'The providers can close what is open, and nothing else.',
}
const endsText: Readonly<Record<string, string>> = {
  healed: 'Then the providers are well, and time passes until nothing is due.',
  after_the_hold: 'Then the providers are well, and time passes until every hold has ended.',
  in_outage: 'Then both providers are out of service for good, and time passes until nothing is due.',
}

export function storyText({ story, played, failsEachTime }: Failure): string {
  const webhooks = story.webhooks === 'off' ? '' : ` Their webhooks are ${story.webhooks}.`
  return [
    `${termsText[story.terms]}${webhooks}`,
    ...played.lines.map((line) => `  ${line}`),
    `${endsText[story.ends]}`,
    ...played.wrongs.map((wrong) => `  ✗ ${wrong}`),
    ...(failsEachTime ? [] : ['It does not fail each time: it depends on who is quicker.']),
  ].join('\n')
}

export function repeatText(seed: number, place: number): string {
  return `npm run test:money -- --seed ${seed} --only ${place}`
}
