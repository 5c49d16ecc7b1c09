/** Connections with other controllers, over TLS with their own CA. */
import { connect } from '../../client/connect.ts';
import { discharge } from '../../client/discharge.ts';
import type { OtherControllers } from '../../controller/other-controllers.ts';
import { JujuError } from '../../core/errors.ts';

export const otherControllers: OtherControllers = {
  connect,
  discharge: (options) =>
    discharge({
      ...options,
      user: '',
      password: () => Promise.reject(new JujuError('unauthorized access', 'a password is asked for')),
    }),
};
