/** Warnings about the expiry of the controller's CA certificate, by which clients and agents trust the controller. */
import type { Explanation, ExplainView } from './explanation.ts';

/**
 * Milliseconds before the CA certificate expires at which the warning starts. The certificate cannot be replaced in
 * place, so users need time to move to a new controller.
 */
export const authorityWarningMs = 365 * 86_400_000;

/** The expiring CA certificate as something that needs attention; empty until a year before its end. */
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
