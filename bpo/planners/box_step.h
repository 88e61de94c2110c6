// The step that minimises a quadratic model within a box, by projected Newton steps (Tassa et al.
// 2014): min_d g'd + d'Hd / 2, low <= d <= high, H positive definite.
#pragma once

#include <Eigen/Dense>

namespace bpo {

Eigen::VectorXd box_step(const Eigen::MatrixXd& h, const Eigen::VectorXd& g,
                         const Eigen::VectorXd& low, const Eigen::VectorXd& high);

}  // namespace bpo
