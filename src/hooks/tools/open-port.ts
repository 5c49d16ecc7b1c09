import { portTool } from '../port-tool.ts';
import { openPort as open } from '../ports.ts';

export const openPort = portTool('open-port', 'Register a request to open a port or port range.', open);
