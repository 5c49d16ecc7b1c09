/** The certificate of the controller's own authority: all who connect trust the controller by it, and it ends some day. */
import type { Explanation, ExplainView } from './explanation.ts';

/**
 * How long before its end the authority's certificate is told of: it cannot be replaced in place, so users need time
 * to move to a new controller.
 */
export const authorityWarningMs = 365 * 86_400_000;

/** The authority's certificate as something that needs attention; nothing until a year before its end. */
export function explainAuthority({ authorityUntil, now }: ExplainView): Explanation[] {
  if (authorityUntil === undefined) return [];
  const left = Date.parse(authorityUntil) - Date.parse(now);
  if (left > authorityWarningMs) return [];
  const day = authorityUntil.slice(0, 10);
  return [
    {
      kind: 'authority',
      id: '',
      name: 'certificate of the controller’s authority',
      text:
        left > 0
          ? `ends on ${day}: no client and no agent can connect afterwards`
          : `ended on ${day}: no client and no agent can connect any more`,
      actor: {
        kind: 'operator',
        name: 'the controller',
        task: 'bootstrap another controller and deploy there what is to go on, see docs/certificates.md',
        commands: [],
      },
      waitsFor: [],
      more: 0,
      above: false,
    },
  ];
}
