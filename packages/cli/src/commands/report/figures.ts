/** The figures that a report has of each cohort; tables and the page show them in their own forms. */
import type { Cohort, SourceReport } from '@newsletter-kit/core/report';
import { count } from '../../output.ts';

/** A figure of a cohort. */
export interface Figure {
  readonly id: 'signedUp' | 'confirmed' | 'stillThere' | 'opens' | 'clicks' | `after ${number}`;
  readonly title: string;
  /** The title of a narrow column, in two lines. */
  readonly lines: readonly [string, string];
  /** A number of people, a share of them, or the mean of their rates; null where it is not known. */
  readonly of: (cohort: Cohort) => number | Cohort['confirmed'] | Cohort['opens'];
}

/** The figures, but for the later ones that are known of none of the cohorts. */
export function figuresOf({ total }: SourceReport, cohorts: readonly Cohort[]): readonly Figure[] {
  const later: readonly Figure[] = [
    ...total.after.map(({ days }, index): Figure => ({
      id: `after ${days}`,
      title: `After ${days} days`,
      lines: ['After', count(days, 'day')],
      of: ({ after }) => after[index]?.stayed ?? null,
    })),
    { id: 'opens', title: 'Opens', lines: ['', 'opens'], of: ({ opens }) => opens },
    { id: 'clicks', title: 'Clicks', lines: ['', 'clicks'], of: ({ clicks }) => clicks },
  ];
  return [
    { id: 'signedUp', title: 'Signed up', lines: ['Signed', 'up'], of: ({ signedUp }) => signedUp },
    { id: 'confirmed', title: 'Confirmed', lines: ['Con-', 'firmed'], of: ({ confirmed }) => confirmed },
    { id: 'stillThere', title: 'Still there', lines: ['Still', 'there'], of: ({ stillThere }) => stillThere },
    ...later.filter(({ of }) => cohorts.some((cohort) => of(cohort) !== null)),
  ];
}
